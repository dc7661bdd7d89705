"""What people type to propose a risk, and to accept or decline one; nothing is saved here, and nothing is preselected."""

from datetime import UTC, date, datetime, time, timedelta
from typing import Any, Final

from django import forms

from escalation.decisions.business_exception import Risk
from escalation.forms.doors import LONGEST_REMARK, DoorForm
from escalation.models.business_exception import Excuses, Loss
from escalation.models.money import DIGITS, PLACES, Money

LONGEST_USE: Final = timedelta(days=92)
LONGEST_REVIEW: Final = timedelta(days=366)
# What an exception excuses, with what would have to turn out for the risk to have come true.
OFFERED: Final = {
    f"{excuses}:{loss}": (excuses, loss)
    for excuses, loss in (
        (Excuses.SECOND_OPERATION, Loss.TWICE),
        (Excuses.STOPPING, Loss.MISSING),
        (Excuses.STOPPING, Loss.HAPPENED),
        (Excuses.STOPPING, Loss.TWICE),
    )
}
_ONE_OF_TWO: Final = "Say what is at stake as an amount with its currency, or in words; one of the two."


def _required(sentence: str) -> dict[str, str]:
    return {"required": sentence}


class MoneyFields(forms.Form):
    """An amount and a currency, both or neither."""

    amount = forms.DecimalField(
        required=False,
        max_digits=DIGITS,
        decimal_places=PLACES,
        error_messages={"invalid": "Write the amount in digits, as 1250.50."},
    )
    currency = forms.RegexField(
        required=False,
        regex=r"^[A-Za-z]{3}$",
        error_messages={"invalid": "Write the currency as its three letters, as EUR."},
    )

    def clean_amount(self) -> object:
        """More than nothing is at stake."""
        amount = self.cleaned_data["amount"]
        if amount is not None and amount <= 0:
            raise forms.ValidationError("The amount must be above zero.")
        return amount

    def money(self) -> Money | None:
        """Return the amount, None where none was typed; raises `ValidationError` where one half is missing."""
        amount, currency = self.cleaned_data.get("amount"), self.cleaned_data.get("currency")
        if amount is None and not currency:
            return None
        if amount is None or not currency:
            raise forms.ValidationError("An amount needs its currency, and a currency its amount.")
        return Money(amount, currency.upper())


class BusinessExceptionForm(MoneyFields, DoorForm):
    """What is excused, what is at stake, why, who bears it, the review, and until when it may be used, in UTC."""

    excuse = forms.ChoiceField(
        choices=[(key, key) for key in OFFERED],
        error_messages={
            **_required("Choose what the accepted risk is to excuse."),
            "invalid_choice": "Choose one of these.",
        },
    )
    words = forms.CharField(required=False, max_length=LONGEST_REMARK, strip=True)
    reason = forms.CharField(max_length=LONGEST_REMARK, strip=True, error_messages=_required("Say why."))
    bearer = forms.CharField(max_length=200, strip=True, error_messages=_required("Say who bears it."))
    review = forms.DateField(
        error_messages={
            **_required("Set a date to review it."),
            "invalid": "Write the date of the review as 2026-12-31.",
        }
    )
    expires_at = forms.DateTimeField(
        input_formats=["%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M"],
        error_messages={
            **_required("Set until when it may be used."),
            "invalid": "Write until when it may be used as 2026-12-31 16:00, in UTC.",
        },
    )

    def __init__(self, *args: Any, now: datetime, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.now = now

    def clean_review(self) -> date:
        """A date to come: it begins, in UTC, after now."""
        day: date = self.cleaned_data["review"]
        if _begin(day) <= self.now:
            raise forms.ValidationError("The review must be to come: tomorrow at the earliest.")
        if _begin(day) - self.now > LONGEST_REVIEW:
            raise forms.ValidationError(f"Review it within {LONGEST_REVIEW.days} days.")
        return day

    def clean_expires_at(self) -> datetime:
        """A time to come, and not so far away that the exception would be a rule."""
        at: datetime = self.cleaned_data["expires_at"]
        if at <= self.now:
            raise forms.ValidationError("The time until which it may be used must be to come.")
        if at - self.now > LONGEST_USE:
            raise forms.ValidationError(f"It may be used for {LONGEST_USE.days} days at most.")
        return at

    def clean(self) -> dict[str, Any]:
        """The exposure is an amount with its currency, or words: exactly one of the two."""
        given: dict[str, Any] = super().clean() or {}
        if "amount" in self.errors or "currency" in self.errors:
            return given
        money = self.money()
        if (money is None) == (not given.get("words")):
            raise forms.ValidationError(_ONE_OF_TWO)
        given["exposure"] = money or given["words"]
        return given

    def risk(self) -> Risk:
        """Return what was typed."""
        typed = self.cleaned_data
        excuses, loss = OFFERED[typed["excuse"]]
        return Risk(
            excuses=excuses,
            loss=loss,
            exposure=typed["exposure"],
            reason=typed["reason"],
            bearer=typed["bearer"],
            review_at=_begin(typed["review"]),
            expires_at=typed["expires_at"],
        )


def _begin(day: date) -> datetime:
    return datetime.combine(day, time(), tzinfo=UTC)


class JudgeForm(DoorForm):
    """Accept or decline, with a remark; who declines says why."""

    act = forms.ChoiceField(
        choices=[("approve", "approve"), ("decline", "decline")],
        error_messages={"required": "Accept it or decline it.", "invalid_choice": "Accept it or decline it."},
    )
    remark = forms.CharField(required=False, max_length=LONGEST_REMARK, strip=True)

    def clean(self) -> dict[str, Any]:
        """A refusal has a reason."""
        given: dict[str, Any] = super().clean() or {}
        if given.get("act") == "decline" and not given.get("remark"):
            self.add_error("remark", "Say why it is declined.")
        return given
