-- What a report that settles nothing, or an untrusted sender, makes us ask stands apart from the schedule (PAY-38).
alter table records.payout_queries
  add column extra_asked integer not null default 0,
  add column extra_asked_at timestamptz(3),
  -- Extra questions are asked until then; null where none is wanted, or one was answered.
  add column extra_until timestamptz(3);
create index payout_queries_by_extra on records.payout_queries (extra_until) where extra_until is not null;
