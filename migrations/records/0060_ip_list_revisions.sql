-- The revision, in the merchant's stream, of the list's event. Of two lists that are set at once, the one that the log has
-- last stays, whichever process writes last.
alter table records.client_secrets
  add column ip_ranges_revision bigint;
