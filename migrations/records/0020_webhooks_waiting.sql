-- What waits by its age, however much is over: for metrics, and for what expires.
create index webhook_deliveries_waiting on records.webhook_deliveries (owed_at) where next_attempt_at is not null;
-- Each endpoint's secrets are read every second while something is sent to it.
create index webhook_secrets_by_endpoint on records.webhook_secrets (merchant_id, mode, kind);
