-- The event that names the secret, by its revision in the merchant's history; null: none is known to. A secret takes the
-- place of the one before once its event stands, and two of the same moment do so in the order of their events.
alter table records.webhook_secrets add column revision bigint;
