-- Requests of merchants' owners, which an admin takes up or declines (docs/reference/portal.md, POR-97). A request decides
-- nothing: the admin who takes it up makes the change or proposes it, with exactly these details. No statement changes
-- the details of a row.
create table records.access_requests (
  id uuid primary key,
  kind text not null check (kind in ('credential', 'ip_list', 'role', 'role_removal')),
  merchant_id text not null,
  -- Null for a role, which counts in both modes.
  mode text,
  -- At most one request of a kind is open for each.
  about text not null,
  -- JSON, as its form wrote it.
  details text not null,
  -- SHA-256 of everything that was asked for, lower-case hex. A row with another content is not taken up.
  digest text not null,
  reason text not null,
  -- As events name people: <issuer>#<subject>.
  asked_by text not null,
  asked_at timestamptz(3) not null default records.now_(),
  ends_at timestamptz(3) not null default records.now_() + interval '30 days',
  -- The admin who took it up last, and the proposal that followed. If the proposal ends without a confirmation, the
  -- request is open again.
  taken_by text,
  taken_at timestamptz(3),
  proposal_id uuid,
  ended_at timestamptz(3),
  ended_by text,
  -- The reason of a decline.
  ended_reason text,
  outcome text check (outcome in ('done', 'declined', 'withdrawn')),
  check ((ended_at is null) = (outcome is null))
);
create index access_requests_of_merchant on records.access_requests (merchant_id, asked_at desc);
create index access_requests_open on records.access_requests (asked_at, id) where ended_at is null;
create index access_requests_of_proposal on records.access_requests (proposal_id) where proposal_id is not null;
create index access_requests_by_age on records.access_requests (ends_at);

-- Requests that wait for an admin are announced as well (docs/reference/people.md, PEO-20).
alter table records.notices drop constraint notices_kind_check;
alter table records.notices add constraint notices_kind_check
  check (kind in ('review', 'correction', 'role', 'proposal', 'request', 'break_glass', 'endpoint'));
