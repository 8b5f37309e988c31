-- Messages about what waits for a second person (docs/reference/people.md, PEO-20): one about one of them by one channel.
create table records.notices (
  kind text not null check (kind in ('review', 'correction', 'role')),
  id text not null,
  about text not null check (about in ('asked', 'over')),
  channel text not null check (channel in ('url', 'mail')),
  name text not null,
  mode text,
  noted_at timestamptz(3) not null default records.now_(),
  attempts integer not null default 0,
  next_attempt_at timestamptz(3) not null default records.now_(),
  outcome text check (outcome in ('told', 'failed')),
  primary key (kind, id, about, channel)
);
create index notices_due on records.notices (next_attempt_at) where outcome is null;
create index notices_by_age on records.notices (noted_at);
