-- Postgres vacuums a table to which rows are only appended after every 20,000 of them, not once it grew by a fifth
-- (docs/adr/0080). Each vacuum then reads the same number of pages, soon after they were written, and freezes them. The
-- statements lock out neither readers nor writers. Sets of views that exist already are changed too. A new set has the
-- parameters by its own file.
do $$
declare
  steps constant text := 'autovacuum_vacuum_insert_threshold = 20000, autovacuum_vacuum_insert_scale_factor = 0';
  appended constant text := steps || ', autovacuum_freeze_min_age = 0';
  hot record;
begin
  for hot in
    select c.oid::regclass as name, wanted.parameters
      from pg_class c
      join pg_namespace n on n.oid = c.relnamespace
      join (values
        ('^records$', 'idempotency_claims', appended),
        ('^records$', 'sealed_messages', appended),
        ('^records$', 'confirmed_checkouts', appended),
        ('^records$', 'receipt_claims', appended),
        ('^records$', 'webhook_attempts', appended),
        ('^views_[0-9]+', 'ledger_entries', appended),
        ('^views_[0-9]+', 'webhook_events', appended),
        ('^views_[0-9]+', 'rail_references', appended),
        ('^views_[0-9]+', 'receipts', appended),
        -- A row is changed once or twice, mostly within its page.
        ('^views_[0-9]+', 'transactions',
          steps || ', autovacuum_vacuum_threshold = 20000, autovacuum_vacuum_scale_factor = 0'),
        -- A vacuum reads all of its indexes: slowly, and only once a fifth of the rows are dead.
        ('^views_[0-9]+', 'transaction_listings',
          'autovacuum_vacuum_cost_delay = 10, autovacuum_vacuum_insert_threshold = -1')
      ) as wanted (schema, table_name, parameters) on n.nspname ~ wanted.schema and c.relname = wanted.table_name
     where c.relkind = 'r'
  loop
    execute format('alter table %s set (%s)', hot.name, hot.parameters);
  end loop;
end $$;
