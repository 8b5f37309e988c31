-- Up to when rows were deleted by their age, a row for each table of which somebody has to know (docs/reference/audit.md,
-- AUD-22): another EVIDENCE_RETENTION says nothing of what was deleted before it was set.
create table records.emptied_tables (
  table_name text primary key,
  -- The time of the newest row that was deleted.
  up_to timestamptz(3) not null
);
