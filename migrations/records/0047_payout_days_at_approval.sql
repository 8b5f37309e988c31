-- Days count approvals, each once in a day. One that is approved anew on a later day counts in that day, too: its row of
-- the day before must not stand for it. Sums of days are made of these rows and of the log's view, so payout_days is only
-- kept for a release that still writes it.
delete from records.payout_allowances a using records.payout_allowances b
  where a.stream = b.stream and a.kind = b.kind and a.day = b.day and a.amount_minor < b.amount_minor;
alter table records.payout_allowances drop constraint payout_allowances_pkey;
alter table records.payout_allowances add primary key (stream, kind, day);
create index if not exists payout_allowances_of_day
  on records.payout_allowances (merchant_id, mode, kind, day);
