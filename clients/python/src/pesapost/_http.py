"""One request and its whole answer within a deadline (SDK-3, SDK-9)."""

from __future__ import annotations

import http.client
import socket
import ssl
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeoutError
from dataclasses import dataclass
from threading import Lock, Thread
from typing import Callable, Mapping, Optional, TypeVar, Union

from .errors import Failure

Result = TypeVar("Result")


@dataclass(frozen=True)
class Origin:
    """The server that every request goes to."""

    host: str
    port: Optional[int]
    #: None for plain http.
    ssl_context: Optional[ssl.SSLContext]

    def connection(self, timeout: float) -> http.client.HTTPConnection:
        """Return a connection that is not open yet."""
        context = self.ssl_context
        if context is None:
            return http.client.HTTPConnection(self.host, self.port, timeout=timeout)
        return http.client.HTTPSConnection(self.host, self.port, timeout=timeout, context=context)


@dataclass(frozen=True)
class HttpRequest:
    """A request; ``target`` is its path and query as signed."""

    method: str
    target: str
    headers: Mapping[str, str]
    body: Optional[bytes]


@dataclass(frozen=True)
class HttpAnswer:
    """An answer, read to its end."""

    status: int
    headers: http.client.HTTPMessage
    text: str

    def header(self, name: str) -> Optional[str]:
        """Return the header; None if it is absent."""
        values = self.headers.get_all(name)
        return None if values is None else ", ".join(values)


class _OpenSocket:
    """The socket of a try. A try that was given up sends nothing any more."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._is_given_up = False
        self._sock: Optional[socket.socket] = None

    def keep(self, sock: socket.socket) -> None:
        with self._lock:
            if self._is_given_up:
                raise OSError("the connection came after the deadline")
            self._sock = sock

    def give_up(self) -> None:
        """End the thread that reads from the socket."""
        with self._lock:
            self._is_given_up = True
            if self._sock is None:
                return
            try:
                self._sock.shutdown(socket.SHUT_RDWR)
            except OSError:
                # The other side was first.
                pass


def exchange(
    origin: Origin, request: HttpRequest, timeout: float
) -> Union[HttpAnswer, Failure]:
    """Send a request and read its answer. Redirects are not followed.

    A thread of its own does the work, because a socket's timeout limits each step and not their
    sum: it bounds neither the look-up of the name nor an answer that comes a byte at a time.
    """
    opened = _OpenSocket()
    try:
        return in_thread(lambda: _perform(origin, request, timeout, opened)).result(timeout)
    except (FutureTimeoutError, socket.timeout):
        opened.give_up()
        return Failure("timeout", "timeout", timeout=timeout)
    except (OSError, http.client.HTTPException) as error:
        return Failure("network_failure", "network", cause=error)


def in_thread(work: Callable[[], Result]) -> Future[Result]:
    """Run the work in a daemon thread, which never keeps the program from ending."""
    future: Future[Result] = Future()

    def run() -> None:
        try:
            future.set_result(work())
        except BaseException as error:  # The caller raises it.
            future.set_exception(error)

    Thread(target=run, name="pesapost", daemon=True).start()
    return future


def _perform(
    origin: Origin, request: HttpRequest, timeout: float, opened: _OpenSocket
) -> HttpAnswer:
    connection = origin.connection(timeout)
    try:
        connection.connect()
        opened.keep(connection.sock)
        headers = {**request.headers, "Connection": "close"}
        connection.request(request.method, request.target, request.body, headers)
        response = connection.getresponse()
        text = response.read().decode("utf-8", "replace")
        return HttpAnswer(response.status, response.headers, text)
    finally:
        connection.close()
