-- What a batch of payouts asks for, sealed, from before its first event until each of its payouts has one of its own.
create table records.payout_batches (
  -- Of the batch's first event: of two requests that race for a reference, each keeps its own.
  id uuid primary key,
  stream text not null,
  key_id text not null,
  ciphertext bytea not null,
  kept_at timestamptz(3) not null default records.now_()
);
create index payout_batches_by_age on records.payout_batches (kept_at);
