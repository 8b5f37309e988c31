-- Up to when each rail was asked what it took lately (docs/reference/reconciliation.md, REC-37).
create table records.taken_hours (
  channel text not null,
  mode text not null check (mode in ('live', 'demo')),
  asked_until timestamptz(3) not null,
  -- A worker that asks has the row until then.
  next_attempt_at timestamptz(3) not null,
  primary key (channel, mode)
);
