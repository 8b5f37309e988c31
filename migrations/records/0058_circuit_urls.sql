-- The URL that the circuit is about: an endpoint that gets another URL begins with a closed circuit. Null for a callback
-- host, and for a row that no worker of this release has written yet.
alter table records.webhook_circuits add column url text;
