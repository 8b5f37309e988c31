-- Days that are over are deleted by their age; without it each look would read all merchants' days.
create index if not exists payout_days_by_day on records.payout_days (day);
