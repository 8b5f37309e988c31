-- What untrusted callbacks make us ask about a collection stands beside the schedule, and is bounded (RAIL-23).
create table records.extra_rail_queries (
  stream text primary key,
  asked integer not null,
  asked_at timestamptz(3) not null default records.now_()
);
create index extra_rail_queries_by_age on records.extra_rail_queries (asked_at);
