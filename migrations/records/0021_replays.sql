-- Sets of views that were built, or brought forward again, beside the one that serves, and what became of them
-- (docs/adr/0033). The views themselves can be thrown away; who swapped them, and on what comparison, cannot.
create table records.replays (
  id bigint generated always as identity primary key,
  -- The schema of the set that serves.
  schema text not null,
  kind text not null check (kind in ('first', 'replay', 'rollback')),
  begun_by text not null,
  begun_at timestamptz(3) not null default records.now_(),
  -- Up to where the set held the log already: 0 for one that is built.
  from_position bigint not null,
  -- When it held all of the log.
  caught_up_at timestamptz(3),
  -- The position at which both sets were compared; of each table its name and, of either set, rows and checksum.
  compared_position bigint,
  tables jsonb,
  differences bigint,
  swapped_at timestamptz(3),
  swapped_position bigint,
  -- The schema of the set that served before, while it is kept.
  kept_as text,
  -- Where it ended without a swap.
  dropped_at timestamptz(3)
);
create unique index replays_under_way on records.replays (schema) where swapped_at is null and dropped_at is null;
