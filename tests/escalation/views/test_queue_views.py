"""Views of the queue that are kept: one's own, and those for everybody."""

import pytest
from django.urls import reverse

from escalation.models import SavedView
from tests.escalation.people import viewer

pytestmark = pytest.mark.django_db


def keep(client, query, **typed):
    return client.post(reverse("queue_views") + query, {"act": "keep", **typed}, follow=True).text


@pytest.mark.parametrize(
    ("query", "typed", "said"),
    [
        ("?owner=mine", {"name": " "}, "give the view a name"),
        ("", {"name": "all"}, "narrow the queue to something first"),
        ("?owner=nonsense", {"name": "all"}, "narrow the queue to something first"),
    ],
)
def test_what_is_no_view_is_not_kept(client, query, typed, said):
    client.force_login(viewer())
    assert said in keep(client, query, **typed)
    assert not SavedView.objects.exists()


def test_nobody_finds_or_forgets_what_another_keeps_for_themselves(client):
    client.force_login(viewer("mira"))
    keep(client, "?owner=mine", name="my own desk")
    client.force_login(viewer("otto"))
    assert "my own desk" not in client.get(reverse("queue")).text
    typed = {"act": "forget", "view": SavedView.objects.get().pk}
    assert "there is no such view of yours" in client.post(reverse("queue_views"), typed, follow=True).text


def test_a_view_is_an_address_that_is_kept_shared_and_forgotten(client):
    client.force_login(viewer("mira"))
    query = "?situation=unknown&owner=nobody&text=T-1"
    keep(client, query, name="Nobody's", shared="on")
    keep(client, "?owner=nobody", name="Nobody's", shared="on")
    view = SavedView.objects.get()
    assert (view.query, view.shared) == ("?owner=nobody", True)
    client.force_login(viewer("otto"))
    text = client.get(reverse("queue")).text
    assert 'href="/?owner=nobody"><bdi>Nobody&#x27;s</bdi></a> <span class="small">of <bdi>mira</bdi>' in text
    client.force_login(view.owner)
    client.post(reverse("queue_views"), {"act": "forget", "view": view.pk})
    assert not SavedView.objects.exists()
