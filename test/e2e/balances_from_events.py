"""Rebuilds every wallet's balance from `npx pesapost events`, by docs/reference/event-stream.md and nothing else.

Standard library alone. Reads the lines from standard input; writes {"<mode>:<currency>:<account number>": {...}}.
"""

import json
import sys
from collections import defaultdict


def main():
    currencies = {}  # of a stream, as its first event says
    credits = defaultdict(int)
    debits = defaultdict(int)
    totals = defaultdict(int)
    last = -1
    for line in sys.stdin:
        event = json.loads(line)
        position = int(event["position"])
        if position <= last:
            raise ValueError(f"position {position} does not rise")
        last = position
        stream, data = event["stream"], event["data"]
        mode = stream.split(":")[0].split("-")[-1]
        if "currency" in data:
            currencies.setdefault(stream, data["currency"])
        if stream.startswith("reservations-"):
            _, _, account, currency = stream.split(":")
            totals[(mode, currency, account)] = int(data["totalMinor"])
        for leg in data.get("legs", []):
            # A proposed correction moves nothing yet.
            if event["type"] == "CorrectionProposed":
                continue
            if not leg["account"].startswith("wallet:"):
                continue
            amount = int(leg["amountMinor"])
            wallet = (mode, currencies[stream], leg["account"][len("wallet:"):])
            if amount > 0:
                credits[wallet] += amount
            else:
                debits[wallet] -= amount
    balances = {}
    for wallet in sorted({*credits, *debits, *totals}):
        c, d, r = credits[wallet], debits[wallet], totals[wallet]
        balances[":".join(wallet)] = {
            "posted_minor": c - d,
            "reserved_minor": r - d,
            "available_minor": c - r,
            "position": last,
        }
    json.dump(balances, sys.stdout)


main()
