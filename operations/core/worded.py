"""A reason is a word for programs and a sentence for people, kept together so that neither drifts."""

from enum import StrEnum
from typing import Self


class Worded(StrEnum):
    """A StrEnum whose members are written `NAME = "word", "Sentence."`; `sentence` is what a reviewer reads."""

    sentence: str

    def __new__(cls, word: str, sentence: str) -> Self:
        member = str.__new__(cls, word)
        member._value_ = word
        member.sentence = sentence
        return member
