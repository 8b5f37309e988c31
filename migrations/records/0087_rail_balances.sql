-- Questions for the balances of the rail's own accounts, and their last answers (docs/reference/rail-balance.md, BAL-2).
create table records.rail_balance_rounds (
  channel text not null,
  mode text not null check (mode in ('live', 'demo')),
  -- A worker has the row until then.
  next_attempt_at timestamptz(3) not null,
  -- The time of the open question; null between two rounds.
  asked_at timestamptz(3),
  -- The number of questions of the open round.
  attempts integer not null default 0,
  primary key (channel, mode)
);
create table records.rail_balances (
  channel text not null,
  mode text not null check (mode in ('live', 'demo')),
  short_code text not null,
  -- The time of the question that was answered.
  asked_at timestamptz(3) not null,
  -- The rail's time of the figures.
  as_of timestamptz(3) not null,
  accounts jsonb not null,
  -- Lower-case hex SHA-256 of the answer's bytes.
  digest text not null,
  primary key (channel, mode, short_code)
);
