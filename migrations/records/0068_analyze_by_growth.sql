-- Postgres analyzes a hot table again once it changed as much as it is large, not by a tenth (docs/adr/0063). The
-- statements lock out neither readers nor writers.
alter table records.idempotency_claims set (autovacuum_analyze_threshold = 1000, autovacuum_analyze_scale_factor = 1);
alter table records.sealed_messages set (autovacuum_analyze_threshold = 1000, autovacuum_analyze_scale_factor = 1);
alter table records.confirmed_checkouts set (autovacuum_analyze_threshold = 1000, autovacuum_analyze_scale_factor = 1);
alter table records.receipt_claims set (autovacuum_analyze_threshold = 1000, autovacuum_analyze_scale_factor = 1);
alter table records.rail_query_attempts set (autovacuum_analyze_threshold = 1000, autovacuum_analyze_scale_factor = 1);
alter table records.callback_inbox set (autovacuum_analyze_threshold = 1000, autovacuum_analyze_scale_factor = 1);
alter table records.webhook_deliveries set (autovacuum_analyze_threshold = 1000, autovacuum_analyze_scale_factor = 1);
alter table records.webhook_attempts set (autovacuum_analyze_threshold = 1000, autovacuum_analyze_scale_factor = 1);
alter table records.api_calls set (autovacuum_analyze_threshold = 1000, autovacuum_analyze_scale_factor = 1);
-- Few rows that change all the time.
alter table records.leases set (autovacuum_analyze_threshold = 20000, autovacuum_analyze_scale_factor = 1);
alter table records.heartbeats set (autovacuum_analyze_threshold = 20000, autovacuum_analyze_scale_factor = 1);
alter table records.webhook_hours set (autovacuum_analyze_threshold = 20000, autovacuum_analyze_scale_factor = 1);

-- Sets of views that exist already. A new set has the parameters by its own file.
do $$
declare
  hot record;
begin
  for hot in
    select c.oid::regclass as name, wanted.threshold
      from pg_class c
      join pg_namespace n on n.oid = c.relnamespace and n.nspname ~ '^views_[0-9]+'
      join (values ('transactions', 1000), ('transaction_listings', 1000), ('ledger_entries', 1000),
        ('webhook_events', 1000), ('rail_references', 1000), ('receipts', 1000),
        ('checkpoint', 20000), ('balances', 20000), ('ledger_sections', 20000), ('account_days', 20000),
        ('day_figures', 20000), ('transaction_days', 20000), ('collection_origins', 20000),
        ('webhook_sequences', 20000), ('rail_queries', 100000)) as wanted (table_name, threshold)
        on wanted.table_name = c.relname
     where c.relkind = 'r'
  loop
    execute format('alter table %s set (autovacuum_analyze_threshold = %s, autovacuum_analyze_scale_factor = 1)',
      hot.name, hot.threshold);
  end loop;
end $$;
