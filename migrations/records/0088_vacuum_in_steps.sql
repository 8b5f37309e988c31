-- Postgres vacuums a table to which rows are only appended after every 20,000 of them, not once it grew by a fifth
-- (docs/adr/0080). Each vacuum then reads the same number of pages, soon after they were written, and freezes them. The
-- statements lock out neither readers nor writers.
do $$
declare
  hot record;
begin
  -- Sets of views that exist already. A new set has the parameters by its own file.
  for hot in
    select c.oid::regclass as name
      from pg_class c
      join pg_namespace n on n.oid = c.relnamespace
     where c.relkind = 'r'
       and (n.nspname ~ '^views_[0-9]+' and c.relname in
             ('ledger_entries', 'webhook_events', 'rail_references', 'receipts')
         or n.nspname = 'records' and c.relname in
             ('idempotency_claims', 'sealed_messages', 'confirmed_checkouts', 'receipt_claims', 'webhook_attempts'))
  loop
    execute format('alter table %s set (autovacuum_vacuum_insert_threshold = 20000,
      autovacuum_vacuum_insert_scale_factor = 0, autovacuum_freeze_min_age = 0)', hot.name);
  end loop;
  -- Rows of these are changed once, soon after they were appended. A vacuum of the listings reads all of their indexes,
  -- so it is made slowly, and only once a fifth of the rows are dead.
  for hot in
    select c.oid::regclass as name, wanted.parameters
      from pg_class c
      join pg_namespace n on n.oid = c.relnamespace and n.nspname ~ '^views_[0-9]+'
      join (values
        ('transactions', 'autovacuum_vacuum_threshold = 20000, autovacuum_vacuum_scale_factor = 0,
          autovacuum_vacuum_insert_threshold = 20000, autovacuum_vacuum_insert_scale_factor = 0'),
        ('transaction_listings', 'autovacuum_vacuum_cost_delay = 10, autovacuum_vacuum_insert_threshold = -1')) as wanted (table_name, parameters)
        on wanted.table_name = c.relname
     where c.relkind = 'r'
  loop
    execute format('alter table %s set (%s)', hot.name, hot.parameters);
  end loop;
end $$;
