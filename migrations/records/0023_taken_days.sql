-- Which days of a rail it was asked about, what it took (docs/reference/reconciliation.md, REC-20): a day begins as a
-- row when it is over, and a restart goes on at its page.
create table records.taken_days (
  channel text not null,
  mode text not null,
  -- Of the rail's own zone.
  day date not null,
  from_at timestamptz(3) not null,
  until_at timestamptz(3) not null,
  next_offset integer not null default 0,
  -- Questions about the page at next_offset.
  attempts integer not null default 0,
  -- While a worker asks, when another one may.
  next_attempt_at timestamptz(3) not null default records.now_(),
  payments integer not null default 0,
  unmatched integer not null default 0,
  finished_at timestamptz(3),
  outcome text check (outcome in ('asked', 'missed')),
  primary key (channel, mode, day)
);
create index taken_days_to_ask on records.taken_days (next_attempt_at) where finished_at is null;

-- Payments that a rail took and the ledger did not hold when it was asked; no number but its mask.
create table records.unmatched_payments (
  channel text not null,
  mode text not null,
  receipt text not null,
  day date not null,
  amount_minor bigint not null,
  paid_at timestamptz(3) not null,
  code text,
  party text,
  -- The collection that bears its code.
  stream text,
  why text not null check (why in ('nobody_asked', 'not_settled', 'paid_twice')),
  found_at timestamptz(3) not null default records.now_(),
  primary key (channel, mode, receipt)
);
create index unmatched_payments_by_age on records.unmatched_payments (found_at);
