-- Webhooks that are owed to an endpoint, and what became of them. The projector adds a row in the transaction that
-- holds its checkpoint; one that builds the views again finds it there and adds nothing (docs/adr/0032).
create table records.webhook_deliveries (
  -- Of the event that tells the outcome.
  webhook_id uuid not null,
  kind text not null check (kind in ('v4', 'v3')),
  merchant_id text not null,
  mode text not null,
  sequence bigint not null,
  type text not null,
  owed_at timestamptz(3) not null,
  attempts integer not null default 0,
  -- When it may be sent; while a worker sends it, when another one may. Null: it is over.
  next_attempt_at timestamptz(3) default records.now_(),
  outcome text check (outcome in ('delivered', 'expired')),
  ended_at timestamptz(3),
  primary key (webhook_id, kind)
);
create index webhook_deliveries_due
  on records.webhook_deliveries (merchant_id, mode, kind, next_attempt_at) where next_attempt_at is not null;
create index webhook_deliveries_by_endpoint
  on records.webhook_deliveries (merchant_id, mode, kind, sequence desc);
create index webhook_deliveries_by_age on records.webhook_deliveries (owed_at);

-- Each attempt: when, for how long and with what result; never the answer's body.
create table records.webhook_attempts (
  webhook_id uuid not null,
  kind text not null,
  attempt integer not null,
  started_at timestamptz(3) not null,
  duration_ms integer not null,
  -- Of the answer; null where there was none.
  status integer,
  outcome text not null,
  primary key (webhook_id, kind, attempt)
);
create index webhook_attempts_by_age on records.webhook_attempts (started_at);

-- With what webhooks are signed, encrypted under MASTER_KEY; two for an endpoint while a rotation lasts.
create table records.webhook_secrets (
  secret_id uuid primary key,
  merchant_id text not null,
  mode text not null,
  kind text not null,
  key_id text not null,
  ciphertext bytea not null,
  created_at timestamptz(3) not null default records.now_(),
  -- Null: the endpoint's present one.
  ends_at timestamptz(3)
);
create unique index webhook_secrets_present on records.webhook_secrets (merchant_id, mode, kind) where ends_at is null;

-- How an endpoint answers, shared by all workers: its circuit.
create table records.webhook_health (
  merchant_id text not null,
  mode text not null,
  kind text not null,
  -- In a row.
  failures integer not null default 0,
  failing_since timestamptz(3),
  last_attempt_at timestamptz(3),
  last_success_at timestamptz(3),
  last_status integer,
  last_outcome text,
  -- Nothing is sent before, but for one that tries whether it answers again.
  closed_until timestamptz(3),
  primary key (merchant_id, mode, kind)
);
