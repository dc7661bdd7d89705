"""Whoever controls the effect."""

from django.db import models


class Recipient(models.Model):
    """One recipient; `key` is its name in addresses and in the API."""

    key = models.SlugField(max_length=64, unique=True)
    name = models.CharField(max_length=200)
    created_at = models.DateTimeField()

    def __str__(self) -> str:
        return self.name
