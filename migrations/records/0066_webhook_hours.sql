-- Attempts at webhooks by endpoint and hour, for the page of endpoints (docs/reference/portal.md, POR-108). A busy
-- endpoint has a million attempts a day, which no page can count.
create table records.webhook_hours (
  merchant_id text not null,
  mode text not null,
  kind text not null,
  -- Its beginning.
  hour timestamptz(0) not null,
  delivered integer not null,
  failed integer not null,
  primary key (merchant_id, mode, kind, hour)
) with (fillfactor = 70);
create index webhook_hours_by_age on records.webhook_hours (hour);

insert into records.webhook_hours (merchant_id, mode, kind, hour, delivered, failed)
  select d.merchant_id, d.mode, d.kind, date_trunc('hour', a.started_at, 'UTC'),
      count(*) filter (where a.outcome = 'delivered'), count(*) filter (where a.outcome <> 'delivered')
    from records.webhook_attempts a join records.webhook_deliveries d using (webhook_id, kind)
    where a.started_at > records.now_() - interval '25 hours'
    group by 1, 2, 3, 4;
