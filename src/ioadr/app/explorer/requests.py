"""Requests from the browser: every value is checked here before it is used."""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from starlette.requests import ClientDisconnect, Request

from ioadr.app.explorer.answers import WHAT_IF
from ioadr.errors import InputError, unknown
from ioadr.parameters import Parameters
from ioadr.presets import DEFAULT, preset

if TYPE_CHECKING:
    from ioadr.app.explorer.study import Study

BODY_SECONDS = 10
LARGEST_BODY = 20_000
"""Bytes."""
MOST_TEXT = 64


def number(texts: Mapping[str, Any], name: str, low: float, high: float) -> float:
    """A finite number in low … high."""
    value = texts.get(name)
    try:
        parsed = float(value) if isinstance(value, (str, int, float)) and not isinstance(value, bool) else math.nan
    except (ValueError, OverflowError):
        parsed = math.nan
    if not low <= parsed <= high:
        raise InputError(f"{name}: expected a number from {low:g} to {high:g}, found {_short(value)}.")
    return parsed


def whole(texts: Mapping[str, Any], name: str, low: int, high: int) -> int:
    parsed = number(texts, name, low, high)
    if parsed != int(parsed):
        raise InputError(f"{name}: expected a whole number, found {parsed:g}.")
    return int(parsed)


def pixel(texts: Mapping[str, Any], study: Study) -> tuple[int, int]:
    lightfield = study.lightfield
    return whole(texts, "row", 0, lightfield.height - 1), whole(texts, "column", 0, lightfield.width - 1)


def viewpoint(texts: Mapping[str, Any], study: Study) -> tuple[float, float]:
    """Requested viewpoint among the views, in the unit of their positions."""
    layout = study.lightfield.layout
    if not layout.planar and study.views(texts.get("result", "")) is None:
        raise InputError("place: these cameras do not lie in one plane. Look from a captured view.")
    positions = layout.positions[layout.present]
    (top, left), (bottom, right) = positions.min(axis=0)[:2].tolist(), positions.max(axis=0)[:2].tolist()
    return number(texts, "row", top, bottom), number(texts, "column", left, right)


def disparity(texts: Mapping[str, Any], name: str, study: Study) -> float:
    """A disparity in the range, extended by its own extent on both sides."""
    limits = study.limits
    return number(texts, name, limits.minimum - limits.extent, limits.maximum + limits.extent)


def varied(base: Parameters, changes: Any) -> Parameters:
    """Parameters with the page's adjustable values changed, within their bounds."""
    if not isinstance(changes, Mapping):
        raise InputError(f"changes: expected an object of parameters, found {_short(changes)}.")
    for name in changes:
        if name not in WHAT_IF:
            raise unknown("parameter", str(name)[:40], WHAT_IF, "changes: ")
    return base.vary(changes)


def changes_in_query(request: Request) -> dict[str, str]:
    """Changes from repeated `set=name:value`."""
    pairs = [text.partition(":") for text in request.query_params.getlist("set")]
    return {name[:MOST_TEXT]: value[:MOST_TEXT] for name, _, value in pairs}


def thin(texts: Mapping[str, Any]) -> int:
    """Step between the requested pixels."""
    return whole({"thin": 1, **texts}, "thin", 1, 16)


def estimation(body: Mapping[str, Any], study: Study) -> tuple[Parameters, int]:
    """The parameters of a result, or of a preset, with changes; and a seed."""
    if body.get("result"):
        base = study.result(str(body["result"])[:MOST_TEXT]).estimate.parameters
    else:
        base = preset(str(body.get("preset", DEFAULT))[:MOST_TEXT])
    return varied(base, body.get("changes", {})), whole({"seed": 0, **body}, "seed", 0, 2**31)


async def json_body(request: Request) -> Mapping[str, Any]:
    """A small JSON object. Its content type is required because a foreign page cannot send it without asking first."""
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        raise InputError("request: expected Content-Type application/json.")
    content = await _content(request)
    try:
        body = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise InputError(f"request: not valid JSON: {error}.") from error
    if not isinstance(body, dict):
        raise InputError("request: not a JSON object.")
    return body


async def _content(request: Request) -> bytes:
    """The body of a request; refused unread if its declared size is too large."""
    content, declared = b"", int(request.headers.get("content-length", 0))
    try:
        if declared <= LARGEST_BODY:
            async with asyncio.timeout(BODY_SECONDS):
                async for chunk in request.stream():
                    content += chunk
                    if len(content) > LARGEST_BODY:
                        break
    except TimeoutError as error:
        raise InputError(f"request: its content did not arrive within {BODY_SECONDS} s.") from error
    except ClientDisconnect as error:
        raise InputError("request: the sender closed the connection before the end.") from error
    if max(declared, len(content)) > LARGEST_BODY:
        raise InputError(f"request: larger than {LARGEST_BODY} bytes.")
    return content


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= MOST_TEXT else text[:MOST_TEXT] + "…"
