-- Secrets with which links to the checkout are hashed (V4's keys; V3's credentials), encrypted under MASTER_KEY: they
-- must be read again to check a hash. Removed at once on revocation.
create table records.link_secrets (
  credential_id text primary key,
  key_id text not null,
  ciphertext bytea not null,
  created_at timestamptz(3) not null default records.now_()
);
