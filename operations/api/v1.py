"""Version 1 of the agents' door: its addresses, its errors and its description (OpenAPI 3.1)."""

from collections.abc import Callable
from functools import wraps
from typing import Any, Final

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.urls import URLPattern, URLResolver
from ninja import NinjaAPI
from ninja.openapi.schema import OpenAPISchema

from operations.api.door import ANY_SCOPE, Key, StrictParser
from operations.api.endpoints import router
from operations.api.problems import CONTENT_TYPE, Problem, answered
from operations.api.refused import handle

NAMESPACE: Final = "api_v1"
ABOUT: Final = """
Unresolved keeps calls whose outcome nobody knows. Record the intent before the first byte leaves, report what came
back, ask what is known and what may be done. No key decides anything: people do, at the desk.

Every call may be sent again: the same ids change nothing and are answered as on record. Errors are problem details
(RFC 9457). Exact bytes travel as base64. Unknown fields are refused.
""".strip()


class AgentsDoor(NinjaAPI):
    """ninja's API with every error as problem details."""

    def get_openapi_schema(self, *, path_prefix: str | None = None, path_params: Any = None) -> OpenAPISchema:
        """Return the description; what is refused has the content type that it is answered with."""
        schema = super().get_openapi_schema(path_prefix=path_prefix, path_params=path_params)
        for methods in schema["paths"].values():
            for endpoint in methods.values():
                for status, answer in endpoint["responses"].items():
                    if int(status) >= 400:
                        answer["content"] = {CONTENT_TYPE: answer["content"]["application/json"]}
        return schema


api: Final = AgentsDoor(
    title="Unresolved, the agents' door",
    version="1",
    description=ABOUT,
    openapi_url=None,
    docs_url=None,
    urls_namespace=NAMESPACE,
    parser=StrictParser(),
)
api.add_router("", router)
api.add_exception_handler(Exception, handle)
for _kind in [kind for kind in api._exception_handlers if kind is not Exception]:  # noqa: SLF001  # ninja's own answers are no problem details
    del api._exception_handlers[_kind]  # noqa: SLF001  # likewise


def _signed_in(request: HttpRequest) -> object:
    """A person who is signed in may read the description too."""
    return request.user.is_authenticated and request.user


@api.get(
    "/openapi.json", auth=[_signed_in, Key(*ANY_SCOPE, to="read")], include_in_schema=False, url_name="openapi-json"
)
def openapi(request: HttpRequest) -> HttpResponse:
    """The description of this door."""
    return JsonResponse(api.get_openapi_schema())


def _at_the_door(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Keys open this door, not sessions; a method that isn't there is a problem like any other."""

    @wraps(view)
    def passed(request: HttpRequest, *args: Any, **parts: Any) -> HttpResponseBase:
        response = view(request, *args, **parts)
        if response.status_code != 405:
            return response
        allowed = {"Allow": response.headers["Allow"]}
        return answered(Problem(405, "no_such_method", "This address has no such method.", headers=allowed))

    return login_not_required(passed)


def _urls() -> tuple[list[URLPattern | URLResolver], str, str]:
    patterns, app, namespace = api.urls
    for pattern in patterns:
        if isinstance(pattern, URLPattern) and pattern.name != "api-root":
            pattern.callback = _at_the_door(pattern.callback)
    return patterns, app, namespace


urls: Final = _urls()
