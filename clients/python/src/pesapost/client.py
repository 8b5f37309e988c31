"""The client of PesaPost V4."""

from __future__ import annotations

import ssl
import time
from typing import Callable, Optional

from ._connection import Connection
from ._retry import RetryPolicy
from ._settings import Settings, not_empty, positive_seconds, read_origin
from ._signing import SigningKey
from .resources.accounts import Accounts
from .resources.collections import Collections
from .resources.events import Events
from .resources.payout_batches import PayoutBatches
from .resources.payouts import Payouts
from .resources.transactions import Transactions


class PesaPost:
    """A client for one credential. Create one and keep it, because it stores the token.

    Any number of threads may use one client.
    """

    def __init__(
        self,
        *,
        base_url: str,
        client_id: str,
        client_secret: str,
        private_key: str,
        timeout: float = 20.0,
        retries: Optional[RetryPolicy] = None,
        now: Callable[[], float] = time.time,
        allow_http: bool = False,
        ssl_context: Optional[ssl.SSLContext] = None,
    ) -> None:
        """Check the options; no request is sent. Raises ValueError, which names the option.

        - ``base_url``: scheme and host, such as https://api.example.com; plain http only for this
          machine, unless ``allow_http`` is set
        - ``private_key``: PEM of the RSA key. The credential was issued for its public half
        - ``timeout``: seconds for each try, from the connection to the end of the answer
        - ``now``: returns Unix time in seconds, within 300 s of the service's
        - ``ssl_context``: for a certificate authority of your own
        """
        settings = Settings(
            origin=read_origin(base_url, allow_http, ssl_context),
            client_id=not_empty("client_id", client_id),
            client_secret=not_empty("client_secret", client_secret),
            signing_key=SigningKey(private_key),
            now=now,
            timeout=positive_seconds("timeout", timeout),
            retries=retries or RetryPolicy(),
        )
        connection = Connection(settings)
        self.collections = Collections(connection)
        self.payouts = Payouts(connection)
        self.payout_batches = PayoutBatches(connection)
        self.transactions = Transactions(connection)
        self.accounts = Accounts(connection)
        self.events = Events(connection)
