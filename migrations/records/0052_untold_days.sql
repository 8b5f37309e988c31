-- A rail's answer without a payment says nothing of the day (docs/reference/callbacks-and-trust.md, RAIL-30): such a day
-- ends as untold if the ledger holds no money of it, else as missed.
alter table records.taken_days add column nothing_told_at timestamptz(3);
alter table records.taken_days drop constraint taken_days_outcome_check;
alter table records.taken_days add constraint taken_days_outcome_check
  check (outcome in ('asked', 'missed', 'untold'));
