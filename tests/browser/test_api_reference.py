"""The description of the agents' door in a real browser: readable by everyone, quiet, nothing wider than the screen."""

from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from django.urls import reverse

from tests.browser.conftest import sit_down

SIZES = [(1440, "light"), (1440, "dark"), (390, "light"), (390, "dark")]


@pytest.mark.parametrize(("width", "scheme"), SIZES)
def test_the_description_is_readable_by_everyone(chromium: Any, live_server: Any, person: Any, width: int, scheme: str):
    seat = sit_down(chromium, str(live_server), person, viewport={"width": width, "height": 900}, color_scheme=scheme)
    seat.goes(reverse("api_reference"))
    found = Axe().run(seat.page).response["violations"]
    assert [f"{one['id']}: {one['nodes'][0]['html'][:200]}" for one in found] == []
    assert seat.page.evaluate("document.documentElement.scrollWidth") <= width
    assert seat.complaints == []
    seat.page.context.close()
