"""A receiver of webhooks for any WSGI server (SDK-18)."""

from __future__ import annotations

import logging
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

from .types import Event
from .webhooks import DEFAULT_TOLERANCE_SECONDS, WebhookVerificationError, verify_webhook

MAX_BODY_BYTES = 64 * 1024

Environ = Dict[str, Any]
WsgiApp = Callable[[Environ, Callable[..., Any]], List[bytes]]


def webhook_app(
    secrets: Union[str, Sequence[str]],
    on_event: Callable[[Event], object],
    *,
    on_refused: Optional[Callable[[WebhookVerificationError], object]] = None,
    tolerance_seconds: float = DEFAULT_TOLERANCE_SECONDS,
) -> WsgiApp:
    """Return a WSGI application that verifies webhooks and calls back with each event.

    It answers 204 once ``on_event`` returned, 400 to what is not genuine, 413 to a body over
    64 KiB, and 500 if ``on_event`` raised, so that the event is delivered again. Deliveries
    repeat, so handle each ``event["id"]`` once.
    """

    def receive(environ: Environ) -> str:
        length = str(environ.get("CONTENT_LENGTH") or "0")
        if not (length.isascii() and length.isdigit()):
            return "400 Bad Request"
        if int(length) > MAX_BODY_BYTES:
            return "413 Content Too Large"
        body = environ["wsgi.input"].read(int(length))
        try:
            event = verify_webhook(
                body, _headers(environ), secrets, tolerance_seconds=tolerance_seconds
            )
        except WebhookVerificationError as error:
            if on_refused is not None:
                on_refused(error)
            return "400 Bad Request"
        on_event(event)
        return "204 No Content"

    def app(environ: Environ, start_response: Callable[..., Any]) -> List[bytes]:
        try:
            status = receive(environ)
        except Exception:
            logging.getLogger("pesapost").exception("a webhook was not handled")
            status = "500 Internal Server Error"
        empty = [("Content-Type", "text/plain"), ("Content-Length", "0")]
        start_response(status, [] if status.startswith("204") else empty)
        return []

    return app


def _headers(environ: Environ) -> List[Tuple[str, str]]:
    """Return the headers under the names that WSGI changed."""
    return [
        (name[len("HTTP_") :].replace("_", "-"), value)
        for name, value in environ.items()
        if name.startswith("HTTP_")
    ]
