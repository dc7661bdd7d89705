"""Conventions of the templates, kept for all of them."""

import re
from pathlib import Path

import pytest
from django.conf import settings

TEMPLATES = sorted(Path(settings.BASE_DIR, "templates").rglob("*.html"))
STATIC = Path(settings.BASE_DIR, "static")


def name(template: Path) -> str:
    return template.relative_to(settings.BASE_DIR / "templates").as_posix()


def test_there_are_templates():
    assert len(TEMPLATES) > 10


@pytest.mark.parametrize("template", [one for one in TEMPLATES if one.name.startswith("_")], ids=name)
def test_a_fragment_is_included_by_a_page_or_placed_by_a_tag(template):
    places = [one.read_text() for one in TEMPLATES if one != template]
    places.append(Path(settings.BASE_DIR, "escalation/templatetags/desk.py").read_text())
    assert any(f'"{name(template)}"' in place for place in places)


@pytest.mark.parametrize("template", TEMPLATES, ids=name)
def test_nothing_stands_in_a_template_that_the_policy_would_block(template):
    text = template.read_text()
    assert not re.search(
        r"\sstyle=|\son[a-z]+=|<style|<script(?![^>]*\ssrc=)|javascript:|\|safe\b|autoescape off", text
    )


@pytest.mark.parametrize("template", TEMPLATES, ids=name)
def test_a_template_stays_short(template):
    assert len(template.read_text().splitlines()) <= 80


def test_no_letter_that_is_unseen_turns_the_words_beside_a_recipients_name():
    placed = [found for one in TEMPLATES for found in re.findall(r"\{\{[^}]*recipient\.name[^}]*\}\}", one.read_text())]
    assert len(placed) > 30
    assert [found for found in placed if "|seen" not in found] == []


def test_every_glyph_that_is_placed_is_in_the_sprite():
    symbols = set(re.findall(r'<symbol id="([^"]+)"', (STATIC / "icons.svg").read_text()))
    placed = {found for one in TEMPLATES for found in re.findall(r'\{% glyph "([^"]+)"', one.read_text())}
    from escalation.screens import answers, doors

    placed |= set(answers._HAPPENED_GLYPH.values()) | set(answers._STILL_GLYPH.values()) | set(doors._ICON.values())
    placed |= {"conflict", "closed", "unneeded", "noshield", "shielddash", "shield"}
    assert placed <= symbols
