-- Changes that one admin proposes and another confirms within 24 h (docs/reference/people.md, PEO-30). Rows end but are never
-- deleted.
create table records.proposals (
  id uuid primary key,
  kind text not null,
  -- One proposal of a kind waits for each.
  about text not null,
  merchant_id text,
  mode text,
  -- As the kind's own code writes and reads it.
  details jsonb not null,
  -- The values that it replaces, as they were when it was proposed.
  seen text not null,
  reason text not null,
  -- As events name people: <issuer>#<subject>.
  proposed_by text not null,
  proposed_at timestamptz(3) not null default records.now_(),
  ends_at timestamptz(3) not null default records.now_() + interval '24 hours',
  -- The admin who is confirming it: it is not declined meanwhile, nor confirmed by another.
  taken_by text,
  ended_at timestamptz(3),
  ended_by text,
  outcome text check (outcome in ('confirmed', 'declined', 'withdrawn', 'replaced')),
  check ((ended_at is null) = (outcome is null))
);
create unique index proposals_open on records.proposals (kind, about) where ended_at is null;
