"""Whoever controls the effect."""

from typing import ClassVar

from django.db import models


class Recipient(models.Model):
    """One recipient; `key` is its name in addresses and in the API.

    `address` is where the desk asks it (its origin, and a path before every target where it has one); empty where the
    desk can't. Which private networks it may lie in, and its credentials, are in the environment, never in a row.
    """

    app_may: ClassVar = ("SELECT", "INSERT", "UPDATE (name, address)")

    key = models.SlugField(max_length=64, unique=True)
    name = models.CharField(max_length=200)
    address = models.CharField(max_length=500, blank=True)
    created_at = models.DateTimeField()

    def __str__(self) -> str:
        return self.name
