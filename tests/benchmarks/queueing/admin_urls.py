"""Django admin's lists of what the queue shows: by itself with its two counts, lean without them, and in the queue's order.

Fifty rows a page, as the queue has, and columns that say as much as Django can say of a row without inference.
"""

from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.core.paginator import Paginator
from django.db.models import Case, DateTimeField, F, IntegerField, Q, QuerySet, Value, When
from django.db.models.functions import Coalesce
from django.urls import include, path
from django.utils import timezone

from escalation.models import Waiting
from escalation.queue import NEVER, Group
from escalation.queue.asking import pressing
from operations.models import Operation

if TYPE_CHECKING:  # of what they are is known to the type checker alone
    _Paginator = Paginator[Any]
    _OfOperations = admin.ModelAdmin[Operation]
    _OfWaiting = admin.ModelAdmin[Waiting]
else:
    _Paginator, _OfOperations, _OfWaiting = Paginator, admin.ModelAdmin, admin.ModelAdmin


class NotCounted(_Paginator):
    """What a lean list is: nobody asks how many there are."""

    @property
    def count(self) -> int:
        """More than anybody pages through."""
        return 1_000_000_000


class OfOperations(_OfOperations):
    """The list as Django makes it."""

    list_per_page = 50
    list_display = ("number", "effect", "recipient", "situation", "evidence", "finality", "protection", "deadline")
    list_select_related = ("recipient",)


class Lean(OfOperations):
    """Without its counts."""

    show_full_result_count = False
    paginator = NotCounted


class InOrder(_OfWaiting):
    """What waits, lean, in the order of the queue, which has to be computed as of now."""

    list_per_page = 50
    show_full_result_count = False
    paginator = NotCounted
    list_display = ("number", "operation", "recipient", "situation", "missing", "owner", "act_before", "effect")
    list_select_related = ("operation", "recipient", "owner")
    ordering = ("group", "at", "number")

    def get_queryset(self, request: Any) -> "QuerySet[Waiting]":  # noqa: ARG002  # as admin calls it
        """What waits by now."""
        now = timezone.now()  # noqa: TID251  # the list is as of now
        rows = Waiting.objects.filter(Q(waits_from__lte=now) | pressing(now))
        left, ended = Q(left_until__gt=now), Q(window_until__lte=now)
        groups = (When(left, then=Group.LEFT_UNRESOLVED.value), When(pressing(now), then=Group.WITHIN_THE_HOUR.value))
        at = (When(left, then=F("left_until")), When(ended, then=Coalesce(F("deadline"), Value(NEVER))))
        group = Case(*groups, default=F("rank"), output_field=IntegerField())
        return rows.annotate(group=group, at=Case(*at, default=F("act_before"), output_field=DateTimeField()))


default, lean, in_order = admin.AdminSite("default"), admin.AdminSite("lean"), admin.AdminSite("in_order")
default.register(Operation, OfOperations)
lean.register(Operation, Lean)
in_order.register(Waiting, InOrder)
urlpatterns = [
    path("default/", default.urls),
    path("lean/", lean.urls),
    path("in_order/", in_order.urls),
    path("", include("escalation.urls")),
]
