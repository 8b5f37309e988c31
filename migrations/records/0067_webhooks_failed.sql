-- Failed deliveries of a merchant, for the tab and its count on the page of webhooks (docs/reference/portal.md, POR-130).
create index webhook_deliveries_failed on records.webhook_deliveries (merchant_id, mode, owed_at desc, sequence desc)
  where attempts > 0 and outcome is distinct from 'delivered';
