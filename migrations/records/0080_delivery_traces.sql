-- The trace that a webhook's event belongs to, if it is recorded (docs/reference/events-and-evidence.md, EVT-60). Null
-- for most rows, which then take no more room.
alter table records.webhook_deliveries add column traceparent text;
