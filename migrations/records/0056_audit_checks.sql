-- The newest `audit check` (docs/reference/operations.md, OPS-56): status says that it failed until one passes.
create table records.audit_checks (
  only_row boolean primary key default true check (only_row),
  checked_at timestamptz(3) not null default records.now_(),
  faults bigint not null,
  -- The first fault; empty if it passed.
  cause text not null
);
