"""The desk as a fixture."""

from tests.recipients.fixtures import collection_desk

__all__ = ["collection_desk"]
