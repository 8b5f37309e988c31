-- One row for each process that runs (docs/reference/operations.md, OPS-50). Ages are judged by the database's own clock,
-- never with CLOCK_OFFSET: each process may have another one.
create table records.heartbeats (
  app text not null,
  -- Host and admin port: a process that is started again finds the row of the one before it.
  instance text not null,
  -- Another one at each start.
  run uuid not null,
  pid integer not null,
  version text not null,
  started_at timestamptz(3) not null,
  seen_at timestamptz(3) not null,
  -- Set by a process that was told to stop.
  ended_at timestamptz(3),
  primary key (app, instance)
) with (fillfactor = 50);
