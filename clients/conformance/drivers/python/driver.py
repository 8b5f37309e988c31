"""Runs the conformance suite's requests with the Python client (clients/conformance/README.md)."""

import base64
import itertools
import json
import sys
import threading
import traceback
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "python" / "src"))

from pesapost import (  # noqa: E402 - the path comes first
    PesaPost,
    PesaPostError,
    RetryPolicy,
    WebhookVerificationError,
    verify_webhook,
)
from pesapost import _signing as signing  # noqa: E402

clients = {}
output = threading.Lock()


def make_client(args):
    retries = args.get("retries", {})
    policy = {"max_retries": retries.get("max")}
    policy["base_delay"] = seconds(retries.get("base_delay_ms"))
    policy["max_delay"] = seconds(retries.get("max_delay_ms"))
    options = {name: args[name] for name in ("base_url", "client_id", "client_secret")}
    options["private_key"] = args["private_key_pem"]
    options["retries"] = RetryPolicy(**present(policy))
    options.update(present({"timeout": seconds(args.get("timeout_ms"))}))
    if "now_ms" in args:
        options["now"] = lambda: seconds(args["now_ms"])
    clients[args["client"]] = PesaPost(**options)
    return {}


def call(args):
    resource, method = args["method"].split(".")
    function = getattr(getattr(clients[args["client"]], resource), method)
    options = {name: args.get(name) for name in ("idempotency_key", "min_position", "at_position")}
    options["timeout"] = seconds(args.get("timeout_ms"))
    options["limit"] = args.get("limit")
    result = function(*with_ints(args["arguments"]), **present(options))
    if method in ("all", "pages"):
        return list(itertools.islice(result, args.get("take")))
    return result


def sign(args):
    request = signing.RequestToSign(
        args["method"],
        args["raw_path"],
        args["raw_query"],
        base64.b64decode(args["body_base64"]),
        args["nonce"],
        args["timestamp"],
    )
    text = signing.string_to_sign(request)
    return {
        "canonical_query": signing.canonical_query(args["raw_query"]),
        "string_to_sign": text,
        "signature": signing.SigningKey(args["private_key_pem"]).sign(text),
    }


def webhook(args):
    payload = base64.b64decode(args["payload_base64"])
    options = {"tolerance_seconds": args.get("tolerance_seconds")}
    options["now"] = seconds(args.get("now_ms"))
    return verify_webhook(payload, args["headers"], args["secrets"], **present(options))


def present(options):
    return {name: value for name, value in options.items() if value is not None}


def seconds(milliseconds):
    return None if milliseconds is None else milliseconds / 1000


def with_ints(value):
    """Make the client's own amounts of the suite's digits."""
    if isinstance(value, list):
        return [with_ints(member) for member in value]
    if not isinstance(value, dict):
        return value
    return {
        name: int(member)
        if name.endswith("_minor") and isinstance(member, str) and member.isdigit()
        else with_ints(member)
        for name, member in value.items()
    }


def with_digits(value):
    """Write amounts as digits, if they are of the type that the client promises."""
    if isinstance(value, (list, tuple)):
        return [with_digits(member) for member in value]
    if not isinstance(value, dict):
        return value
    return {
        name: str(member)
        if name.endswith("_minor") and type(member) is int
        else with_digits(member)
        for name, member in value.items()
    }


def failure_of(error):
    if isinstance(error, PesaPostError):
        names = "code kind status detail request_id retry_after_seconds wire_code reference differs"
        facts = {name: getattr(error, name, None) for name in names.split()}
        facts.update(call=error.call, attempts=error.attempts)
        facts["idempotency_key"] = error.idempotency_key
        facts.update(existing=getattr(error, "existing", None), last=getattr(error, "last", None))
        return {"type": "call", "message": str(error), **present(facts)}
    if isinstance(error, WebhookVerificationError):
        return {"type": "webhook", "code": error.code}
    if isinstance(error, (TypeError, ValueError)):
        return {"type": "mistake", "message": str(error)}
    return {"type": "defect", "message": traceback.format_exc()}


OPERATIONS = {"client": make_client, "call": call, "sign": sign, "verify_webhook": webhook}


def answer(line):
    request = json.loads(line)
    try:
        result = {"ok": with_digits(OPERATIONS[request["op"]](request["args"]))}
    except Exception as error:
        result = {"error": with_digits(failure_of(error))}
    with output:
        print(json.dumps({"id": request["id"], **result}), flush=True)


for each in sys.stdin:
    threading.Thread(target=answer, args=(each,)).start()
