-- Loops of the process that complete no step (OPS-64). They count for the run that wrote them: a process of an older release
-- that takes the row leaves both columns as they are.
alter table records.heartbeats
  add column stalled_loops text[] not null default '{}',
  add column stalled_run uuid;
