-- The addresses from which a credential may call, as an operator set them last: authentication goes by them until the
-- views are known to have read of it, so that a change takes effect at once.
alter table records.client_secrets
  add column ip_ranges text[],
  add column ip_ranges_set_at timestamptz(3);
