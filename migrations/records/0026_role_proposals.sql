-- Roles that one admin wants granted and that wait for another (docs/reference/people.md, PEO-5).
create table records.role_proposals (
  id uuid primary key,
  -- As events name people: <issuer>#<subject>.
  person text not null,
  name text not null,
  role text not null,
  merchant_id text,
  reason text not null,
  proposed_by text not null,
  proposed_at timestamptz(3) not null default records.now_(),
  ends_at timestamptz(3) not null default records.now_() + interval '24 hours',
  ended_at timestamptz(3),
  ended_by text,
  outcome text check (outcome in ('decided', 'declined', 'replaced'))
);
create unique index role_proposals_open on records.role_proposals (person, role, coalesce(merchant_id, ''))
  where ended_at is null;
