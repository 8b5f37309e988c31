-- Records are what cannot be rebuilt from the events: secrets, claims, raw bytes, work in hand. Back them up.
-- Instants that are compared for equality are timestamptz(3): a client's Date carries milliseconds.

-- The one "now" of the records. CLOCK_OFFSET, which each connection carries as a setting, is added.
create function records.now_() returns timestamptz(3)
language sql volatile parallel safe
as $$
  select (clock_timestamp()
    + coalesce(nullif(current_setting('pesapost.clock_offset_ms', true), ''), '0')::bigint
      * interval '1 millisecond')::timestamptz(3)
$$;

-- Who leads. By the database's own clock, without the offset.
create table records.leases (
  name text primary key,
  holder text not null,
  fence bigint not null,
  expires_at timestamptz not null
);

-- One row for each idempotency key that was used, inserted before the intent. Kept 30 days.
create table records.idempotency_claims (
  key_hash bytea primary key,
  fingerprint bytea not null,
  reference text not null,
  claimed_at timestamptz(3) not null default records.now_()
);
create index idempotency_claims_by_age on records.idempotency_claims (claimed_at);

-- Bearer tokens and client secrets, hashed. Removed at once on revocation.
create table records.access_tokens (
  token_hash bytea primary key,
  credential_id text not null,
  expires_at timestamptz(3) not null
);
create index access_tokens_by_credential on records.access_tokens (credential_id);
create index access_tokens_by_expiry on records.access_tokens (expires_at);

create table records.client_secrets (
  client_id text primary key,
  credential_id text not null,
  secret_hash bytea not null
);
create index client_secrets_by_credential on records.client_secrets (credential_id);

-- Values that are unique in the service, reserved before the event that names them.
create table records.unique_names (
  kind text not null,
  value text not null,
  owner text not null,
  reserved_at timestamptz(3) not null default records.now_(),
  primary key (kind, value)
);

-- Callbacks that could not be applied at once, encrypted. Kept 90 days.
create table records.callback_inbox (
  id uuid primary key,
  stream text not null,
  key_id text not null,
  ciphertext bytea not null,
  source_address text not null,
  trusted boolean not null,
  received_at timestamptz(3) not null default records.now_(),
  attempts integer not null default 0,
  next_attempt_at timestamptz(3) not null default records.now_(),
  applied_at timestamptz(3),
  outcome text
);
create index callback_inbox_due on records.callback_inbox (next_attempt_at) where applied_at is null;
create index callback_inbox_by_age on records.callback_inbox (received_at) where applied_at is not null;

-- The rail's raw words, encrypted; events carry their digests. Kept 7 years unless set otherwise.
create table records.rail_messages (
  id uuid primary key,
  stream text not null,
  digest bytea not null,
  key_id text not null,
  ciphertext bytea not null,
  received_at timestamptz(3) not null default records.now_()
);
create index rail_messages_by_stream on records.rail_messages (stream);
create index rail_messages_by_age on records.rail_messages using brin (received_at);

-- Each status query that was made, from which the time of the next one follows.
create table records.rail_query_attempts (
  stream text not null,
  attempt integer not null,
  attempted_at timestamptz(3) not null default records.now_(),
  outcome text not null,
  primary key (stream, attempt)
);

-- A checkout id confirms one collection, whatever the rail says.
create table records.confirmed_checkouts (
  mode text not null,
  checkout_id text not null,
  stream text not null,
  confirmed_at timestamptz(3) not null default records.now_(),
  primary key (mode, checkout_id)
);

-- Secrets of the service itself, encrypted under MASTER_KEY: the phone HMAC's key, the check of MASTER_KEY.
create table records.secrets (
  name text primary key,
  key_id text not null,
  ciphertext bytea not null,
  created_at timestamptz(3) not null default records.now_()
);
