-- Seconds by which the process's clock is ahead of the database's (OPS-50); negative if it is behind, 0 if they agree.
alter table records.heartbeats add column clock_ahead_seconds integer not null default 0;
