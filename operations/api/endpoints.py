"""The endpoints of the agents' door. None of them decides anything, and none sends anything to a recipient."""

from collections.abc import Mapping
from typing import Any, Final
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from ninja import Query, Router
from pydantic import BaseModel

from operations import reading
from operations.api import delivered, granted, pages, said, shown
from operations.api.asked import Begin, Register, Reply, Say, Seal, WireFact
from operations.api.batch import Batch, Results, results
from operations.api.doing import Act, registered_said
from operations.api.door import ANY_SCOPE, MOST_BYTES_OF_A_BATCH, Key, visit_of
from operations.api.problems import ProblemDetails

router = Router()

_WRITERS: Final = ("transport", "agent")


def _answers(ok: Mapping[int, type[BaseModel]], *refusals: int) -> dict[int, Any]:
    """Return the answers of an endpoint for its documentation."""
    return {**ok, **dict.fromkeys(sorted({401, 403, 422, 429, *refusals}), ProblemDetails)}


def _created(model: said.Registered | said.Begun | said.Observed) -> HttpResponse:
    return said.said(model, status=201 if model.created else 200)


_POSTED: Final = (411, 413, 415)


@router.post(
    "/operations",
    auth=Key(*_WRITERS, to="register an operation"),
    response=_answers({201: said.Registered, 200: said.Registered}, 409, *_POSTED),
    summary="Register an operation with its first attempt",
    operation_id="register",
)
def register(request: HttpRequest, asked: Register) -> HttpResponse:
    """Call this before the first byte leaves. 201: both are on record. 200: the same identity with the same
    representation was on record; send only if `attempt.recorded` and your own journal says that it was never sent.
    409 `new_proposal`: the identity is bound to something else. 409 `confronts_open_operation`: a fresh identity about
    the same thing as an operation that is open. Nothing was recorded then: do not send.
    """
    found = Act(visit_of(request)).register(asked)
    return _created(registered_said(found, attempt=asked.attempt.id))


@router.post(
    "/operations/{operation_id}/attempts",
    auth=Key(*_WRITERS, "collect", to="begin an attempt"),
    response=_answers({201: said.Begun, 200: said.Begun}, 404, 409, *_POSTED),
    summary="Begin a further attempt",
    operation_id="begin",
)
def begin(request: HttpRequest, operation_id: UUID, asked: Begin) -> HttpResponse:
    """Call this before the first byte leaves. 409 `not_permitted` carries the refusal: kind, sentence, rule, history of
    a second effect where there would be one, and until when. Where a repeat is permitted it takes a grant, which a person
    gives and this uses up: 409 `grant_needed`, or the reason why the one given won't do. Nothing was recorded then: do
    not send.
    """
    return _created(Act(visit_of(request)).begin(operation_id, asked))


@router.get(
    "/operations/{operation_id}/grant",
    auth=Key("collect", "transport", to="fetch a grant"),
    response=_answers({200: granted.GrantSaid}, 404),
    summary="The grant that waits for a further attempt",
    operation_id="waiting_grant",
)
def waiting_grant(request: HttpRequest, operation_id: UUID) -> HttpResponse:
    """A person decided that you may send the same request once more. Fetching uses nothing up; `attempts` does. 404
    `no_grant`: none waits.
    """
    return said.said(granted.waiting_grant(operation_id, visit=visit_of(request)))


@router.post(
    "/operations/{operation_id}/result",
    auth=Key("collect", "transport", "agent", to="fetch a result"),
    response=_answers({200: delivered.Result}, 404, *_POSTED),
    summary="Fetch what is owed to you",
    operation_id="collect_result",
)
def collect_result(request: HttpRequest, operation_id: UUID, asked: delivered.Collect) -> HttpResponse:
    """What is known and decided by now, at once, whether or not it is settled. That it was given out is recorded where
    something is owed; that you have it is not known until you say so at `deliveries`.
    """
    return said.said(delivered.collected(operation_id, asked, visit=visit_of(request)))


@router.post(
    "/operations/{operation_id}/deliveries",
    auth=Key("collect", "transport", "agent", to="tell of a delivery"),
    response=_answers({201: delivered.Delivered, 200: delivered.Delivered}, 404, 409, *_POSTED),
    summary="Say that a result arrived, that a request carried it, or that the model answered",
    operation_id="tell_delivery",
)
def tell_delivery(request: HttpRequest, operation_id: UUID, asked: delivered.Deliver) -> HttpResponse:
    """Store the result first, say `acknowledged` second; say `carried` and `answered` of the requests to the model that
    hold it. 409 `not_collected`: nobody was given that result. None of it says anything of the effect.
    """
    found = delivered.delivered(operation_id, asked, visit=visit_of(request))
    return said.said(found, status=201 if found.created else 200)


@router.post(
    "/operations/{operation_id}/replies",
    auth=Key("transport", to="report a reply"),
    response=_answers({201: said.Observed, 200: said.Observed}, 404, 409, *_POSTED),
    summary="Report what the recipient answered",
    operation_id="report_reply",
)
def report_reply(request: HttpRequest, operation_id: UUID, asked: Reply) -> HttpResponse:
    """Only code that owned the socket may say this. The answer is stored whole and read by the recipient's contract."""
    act = Act(visit_of(request))
    return _created(_with_standing(act, act.reply(operation_id, asked)))


@router.post(
    "/operations/{operation_id}/facts",
    auth=Key("transport", to="report a fact of the wire"),
    response=_answers({201: said.Observed, 200: said.Observed}, 404, 409, *_POSTED),
    summary="Report what the owner of the socket knows of its own side",
    operation_id="report_fact",
)
def report_fact(request: HttpRequest, operation_id: UUID, asked: WireFact) -> HttpResponse:
    """`not_sent` counts for an attempt that is sent once, if no byte of it was written. The others settle nothing."""
    act = Act(visit_of(request))
    return _created(_with_standing(act, act.wire_fact(operation_id, asked)))


@router.post(
    "/operations/{operation_id}/words",
    auth=Key("agent", to="report words"),
    response=_answers({201: said.Observed, 200: said.Observed}, 404, 409, *_POSTED),
    summary="Report what an agent or a model says",
    operation_id="report_words",
)
def report_words(request: HttpRequest, operation_id: UUID, asked: Say) -> HttpResponse:
    """Words are kept and shown to people. They are never evidence, whatever they say."""
    act = Act(visit_of(request))
    return _created(_with_standing(act, act.say(operation_id, asked)))


@router.post(
    "/operations/{operation_id}/person",
    auth=Key("agent", to="ask for a person"),
    response=_answers({201: said.Observed, 200: said.Observed}, 404, 409, *_POSTED),
    summary="Ask for a person to look at it",
    operation_id="ask_for_a_person",
)
def ask_for_a_person(request: HttpRequest, operation_id: UUID, asked: Say) -> HttpResponse:
    """Say why somebody should look at this operation. It opens its case, or adds a reason to it, until a person decides
    something or the outcome is established. The words are kept and shown to people, and are never evidence. 409
    `nothing_open`: the outcome is established. 429 `asked_too_often`: it was asked five times within an hour. Nothing was
    recorded then.
    """
    act = Act(visit_of(request))
    return _created(_with_standing(act, act.ask_for_a_person(operation_id, asked)))


@router.post(
    "/operations/{operation_id}/seal",
    auth=Key("transport", to="seal a record"),
    response=_answers({200: said.Sealed}, 404, *_POSTED),
    summary="Seal the record",
    operation_id="seal",
)
def seal(request: HttpRequest, operation_id: UUID, asked: Seal) -> HttpResponse:
    """Say that every writer has recorded all it sent and begins no further attempt without a grant of the desk."""
    act = Act(visit_of(request))
    sealed = act.seal(operation_id)
    return said.said(sealed.model_copy(update={"standing": act.standing(operation_id)}))


@router.get(
    "/operations/{operation_id}/standing",
    auth=Key(*ANY_SCOPE, to="read"),
    response=_answers({200: said.Standing}, 404),
    summary="What is known, what is permitted, what is refused and why, what is missing",
    operation_id="standing",
)
def standing(request: HttpRequest, operation_id: UUID) -> HttpResponse:
    """Inferred at this moment from everything on record. Ask again after every act: one permitted action is taken, then
    everything is inferred again.
    """
    visit = visit_of(request)
    row = reading.bound(operation_id, recipients=visit.recipients)
    return said.said(Act(visit).standing(row.id))


@router.get(
    "/operations/{operation_id}",
    auth=Key(*ANY_SCOPE, to="read"),
    response=_answers({200: shown.Whole}, 404),
    summary="Everything on record of one operation",
    operation_id="read_operation",
)
def read_operation(request: HttpRequest, operation_id: UUID) -> HttpResponse:
    """The bound request, the attempts, what was learnt with what it counts for, and the standing now."""
    visit = visit_of(request)
    row = reading.bound(operation_id, recipients=visit.recipients)
    return said.said(shown.whole(reading.operation(row.id), now=visit.now))


@router.get(
    "/operations",
    auth=Key("read", to="list operations", query=pages.PARAMETERS),
    response=_answers({200: pages.Page}),
    summary="List operations, the newest first",
    operation_id="list_operations",
)
def list_operations(request: HttpRequest, filters: Query[pages.Filters]) -> HttpResponse:
    """Filters are joined by and. Go on with `next` as `cursor`: no operation comes twice and none is left out that was
    there when you began. The standing of a line is that of its `assessed_at`.
    """
    return said.said(pages.page(visit_of(request), filters))


@router.post(
    "/batch",
    auth=Key(*_WRITERS, to="report a batch", most=MOST_BYTES_OF_A_BATCH),
    response=_answers({200: Results}, *_POSTED),
    summary="Up to 1,000 acts in one call, one result each",
    operation_id="batch",
)
def batch(request: HttpRequest, asked: Batch) -> HttpResponse:
    """Each item is done as if it had come alone, in the order given; `status` and `body` are those of the single call,
    without the standing. A bad item stops no other. Sent again, the batch changes nothing.
    """
    return said.said(results(Act(visit_of(request)), asked))


def _with_standing(act: Act, found: said.Observed) -> said.Observed:
    return found.model_copy(update={"standing": act.standing(found.operation)})
