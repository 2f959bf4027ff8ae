"""The page of an arena: its state, its players, and instructions for joining."""

from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket

from outflank.engine import Rules
from outflank.tools.page.parts import page_parts, rendered

_RENEWED_SECONDS = 5


def arena_route(
    rules: Rules, url: str, live: str, status: Callable[[], Mapping[str, Any]], *, waits: bool
) -> Route:
    """Create the route ``/``.

    Args:
        rules: the rules of the games.
        url: the address at which engines join.
        live: the address of the page that shows the games; empty if there is none.
        status: the function ``Arena.status``, whose values the page shows.
        waits: True if the page is a placeholder that reloads itself until the first game starts.
    """
    parts = page_parts(rules, "tables.js")
    headers = {"content-security-policy": f"{parts['policy']}; frame-ancestors 'none'"}
    if waits:
        headers["refresh"] = str(_RENEWED_SECONDS)

    async def show(request: Request) -> Response:
        html = rendered("arena.html", url=url, live=live, waits=waits, **parts, **status())
        return HTMLResponse(html, headers=headers)

    return Route("/", show)


def join_route(url: str) -> WebSocketRoute:
    """Create the route that redirects an engine to the arena if the engine joins at the address of the games' page.

    Args:
        url: the address of the arena's WebSocket; the host ``*`` stands for the host that the engine connected to.
    """

    async def redirect(socket: WebSocket) -> None:
        host = socket.url.hostname or ""
        target = url.replace("*", f"[{host}]" if ":" in host else host, 1)
        await socket.send_denial_response(RedirectResponse(target))

    return WebSocketRoute(urlsplit(url).path, redirect)
