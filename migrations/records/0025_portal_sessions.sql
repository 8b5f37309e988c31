-- People who are signed in, each in one browser (docs/adr/0038). The browser holds the id, we its hash.
create table records.portal_sessions (
  id_hash bytea primary key,
  issuer text not null,
  subject text not null,
  -- As the issuer told it.
  name text not null,
  created_at timestamptz(3) not null default records.now_(),
  -- When the issuer last saw who it is.
  authenticated_at timestamptz(3) not null,
  -- Written at most once a minute.
  last_seen_at timestamptz(3) not null default records.now_(),
  -- Moves on with each use, up to ends_at.
  idle_ends_at timestamptz(3) not null,
  ends_at timestamptz(3) not null,
  revoked_at timestamptz(3)
);
create index portal_sessions_by_end on records.portal_sessions (idle_ends_at);

-- Forms that wait, minutes at most, until their sender has proved presence for exactly what they say.
create table records.portal_held_forms (
  id_hash bytea primary key,
  session_hash bytea not null,
  action text not null,
  -- Of method, target, media type and bytes.
  digest bytea not null,
  -- Target, media type, bytes and description, encrypted under MASTER_KEY: a form may hold what no row shows.
  key_id text not null,
  ciphertext bytea not null,
  held_at timestamptz(3) not null default records.now_(),
  proved_at timestamptz(3),
  ends_at timestamptz(3) not null
);
create index portal_held_forms_by_end on records.portal_held_forms (ends_at);
