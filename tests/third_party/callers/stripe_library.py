"""The library that agents call Stripe with: a payment, a refund of it, the refunds there are."""

import json
import sys
from typing import Any

import stripe


def pay(client: Any, told: dict[str, Any]) -> Any:
    """A payment that succeeded, to refund."""
    card = {"number": "4242424242424242", "exp_month": 12, "exp_year": 2040, "cvc": "123"}
    method = client.v1.payment_methods.create({"type": "card", "card": card})
    words = {"amount": told["amount"], "currency": "eur", "payment_method": method.id, "confirm": True}
    return client.v1.payment_intents.create(words).id


def refund(client: Any, told: dict[str, Any]) -> Any:
    """A refund under an idempotency key, which stands in the metadata, too."""
    key = told["identity"]
    words = {"payment_intent": told["payment"], "amount": told["amount"], "metadata": {"operation": key}}
    return client.v1.refunds.create(words, {"idempotency_key": key}).id


def refunds(client: Any, told: dict[str, Any]) -> Any:
    """The ids of a payment's refunds."""
    return [one.id for one in client.v1.refunds.list({"payment_intent": told["payment"], "limit": 100}).data]


DOES = {"pay": pay, "refund": refund, "refunds": refunds}


def main() -> None:
    """Do what each line says."""
    for line in sys.stdin:
        told = json.loads(line)
        client = stripe.StripeClient(
            told["credential"], base_addresses={"api": told["url"]}, max_network_retries=told.get("retries", 0)
        )
        try:
            said = {"result": DOES[told["do"]](client, told)}
        except stripe.StripeError as error:
            said = {"error": type(error).__name__, "message": str(error)}
        sys.stdout.write(json.dumps(said) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
