"""The client of PesaPost V4: collect money over M-Pesa, pay out, list and verify webhooks."""

from ._retry import RetryPolicy
from .client import PesaPost
from .errors import ERROR_KINDS, DifferentItemError, Failure, NotSettledError, PesaPostError
from .receiver import webhook_app
from .webhooks import WebhookVerificationError, verify_webhook

__all__ = [
    "ERROR_KINDS",
    "DifferentItemError",
    "Failure",
    "NotSettledError",
    "PesaPost",
    "PesaPostError",
    "RetryPolicy",
    "WebhookVerificationError",
    "verify_webhook",
    "webhook_app",
]
