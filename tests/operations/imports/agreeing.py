"""Every visible record and every row of the resume matrices, put to the commands and compared with what was read by hand.

`python -m tests.operations.imports` prints the table; the tests demand its words. The commands are the ones that people
run: what is compared is what they print.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from django.core.management import call_command

from tests.operations.imports.matrix import STAGED, VERSIONS, matrix, request_of, state_of
from tests.operations.imports.records import DATA, GOLD

# The log of the mock server keeps its answers as a word ("200 function_call") and, with a conversation, never holds the
# call itself: neither the tool's name nor its arguments stand anywhere in these three files.
NOT_IN_THE_FILE: Final = {
    "http/http1_ok_conversation": {"name", "fingerprint"},
    "http/http2_read_timeout_conversation": {"name", "fingerprint"},
    "http/http3_500_conversation": {"name", "fingerprint"},
}
# Read by hand here: the gold facts have no entry for this record.
OURS: Final[dict[str, list[dict[str, Any]]]] = {
    "responses/re1_stateless_items": [
        {
            "call_id": "call_L1",
            "name": "lookup_parcel",
            "fingerprint": "ee5dca1ae86e",
            "gate": "none",
            "started": "unknown",
            "produced": True,
            "outputs": [["claims_result", '{"parcel": "Elm", "shelf": "B4"}']],
            "persisted": ["items"],
            "delivered": "replayed_history",
            "consumed": "replayed_history",
            "at": 1,
        },
        {
            "call_id": "call_I2",
            "name": "issue_ticket",
            "fingerprint": "324513adb28f",
            "gate": "none",
            "started": "unknown",
            "produced": True,
            "outputs": [["claims_result", '{"ticket": "T-1001"}']],
            "persisted": ["items"],
            "delivered": "replayed_history",
            "consumed": "replayed_history",
            "at": 3,
        },
    ]
}
AGREES: Final = "agrees"
BUT_FOR: Final = "agrees but for what is not in the file: "


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """One record or one resume: what was put to which command, and what came of it."""

    what: str
    command: str
    said: str

    @property
    def agrees(self) -> bool:
        """Whether nothing differs but what the file does not hold."""
        return self.said == AGREES or self.said.startswith(BUT_FOR)


def file_of(name: str) -> str:
    """The file of the record of this name, whatever its ending."""
    return str(next(DATA.glob(f"{name}.json*")))


def printed(name: str, *, log: str | None = None) -> list[dict[str, Any]]:
    """What `import_transcript --json` prints of a record."""
    out = StringIO()
    call_command("import_transcript", file_of(name), json=True, request_log=log and file_of(log), stdout=out)
    found: list[dict[str, Any]] = json.loads(out.getvalue())
    return found


def of_the_gold_facts() -> Iterator[Compared]:
    """Compare every entry of the gold facts, and the records that have none."""
    for case, calls in [*GOLD.items(), *OURS.items()]:
        name, _, how = case.partition(" (")
        with_log = how.startswith("with its request log")
        found = printed(name, log=f"model_inputs/{name.partition('/')[2]}" if with_log else None)
        yield Compared(
            what=case, command="import_transcript", said=_said(found, calls, NOT_IN_THE_FILE.get(name, set()))
        )


def of_the_logs() -> Iterator[Compared]:
    """Compare every log of requests with its run: read by itself it holds no call that the run does not."""
    for file in sorted((DATA / "model_inputs").iterdir()):
        name = f"model_inputs/{file.stem}"
        alone = {call["call_id"] for call in printed(name)}
        both = {call["call_id"] for call in printed(f"runstate/{file.stem}", log=name)}
        lost = {call["call_id"] for call in GOLD[f"runstate/{file.stem} (state alone)"]} - both
        more = sorted(lost | (alone - both))
        yield Compared(what=name, command="import_transcript", said=f"differs: {more}" if more else AGREES)


def of_the_resumes() -> Iterator[Compared]:
    """Put every row of both matrices and the staged approvals to `check_next_input`."""
    for version in VERSIONS:
        for row in matrix(version):
            which = f"{row['mode']}, state {'from JSON' if row['json'] else 'live'}, {'streamed' if row['streamed'] else 'whole'}"
            said = _checked(state_of(row["mode"]), request_of(row), row["missing"])
            yield Compared(what=f"matrix_{version}: {which}", command="check_next_input", said=said)
    for what, state, request, wanted in STAGED:
        yield Compared(what=what, command="check_next_input", said=_checked(state, request, wanted))


def _said(found: list[dict[str, Any]], calls: list[dict[str, Any]], absent: set[str]) -> str:
    wanted = [{fact: said for fact, said in call.items() if fact not in absent} for call in calls]
    if found != wanted:
        return f"differs: printed {json.dumps(found)}, by hand {json.dumps(wanted)}"
    return BUT_FOR + ", ".join(sorted(absent)) if absent else AGREES


def _checked(state: bytes, request: bytes, wanted: list[str]) -> str:
    """Compare the calls that a check names, and its status, with those that are missing."""
    with TemporaryDirectory() as folder:
        files = [Path(folder) / name for name in ("state.json", "request.json")]
        for file, content in zip(files, (state, request), strict=True):
            file.write_bytes(content)
        out = StringIO()
        status = 0
        try:
            call_command("check_next_input", *map(str, files), stdout=out)
        except SystemExit as ended:
            status = int(ended.code or 0)
    named = [line.split(" ")[0] for line in out.getvalue().splitlines()] if status else []
    right = (status, named) == (1 if wanted else 0, wanted)
    return AGREES if right else f"differs: status {status}, {named}; by hand {wanted}"
