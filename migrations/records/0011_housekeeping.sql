-- What is deleted by age is found by it. Where the tables are large, build these by hand before the release, with
-- "create index concurrently": a migration builds them under a lock that keeps writers waiting.
create index if not exists rail_query_attempts_by_age on records.rail_query_attempts (attempted_at);
create index if not exists confirmed_checkouts_by_age on records.confirmed_checkouts (confirmed_at);
