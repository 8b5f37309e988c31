-- A session's name at the provider (`sid`), by which its back-channel logout ends it (docs/reference/portal.md, POR-123).
alter table records.portal_sessions
  add column provider_session text check (length(provider_session) <= 255);
create index portal_sessions_by_provider on records.portal_sessions (issuer, provider_session)
  where provider_session is not null;

-- The refresh token of a browser's session, by which the portal asks the provider if the person may stay (POR-122).
create table records.session_renewals (
  -- The session's.
  id_hash bytea primary key,
  -- Encrypted under MASTER_KEY: the token is a secret.
  key_id text not null,
  ciphertext bytea not null,
  -- The last time that a replica asked.
  checked_at timestamptz(3) not null default records.now_()
);
