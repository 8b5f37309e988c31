-- Of several payments of one collection, which came first (docs/reference/reconciliation.md, REC-21).
create index unmatched_payments_by_stream on records.unmatched_payments (stream) where stream is not null;
