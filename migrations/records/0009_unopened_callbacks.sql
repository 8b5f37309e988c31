-- Callbacks whose token is under a master key that the replica which took them does not know, as in a rolling deploy of
-- a new key. Token and body are one ciphertext. A worker that has the key moves them into the inbox; those of untrusted
-- senders are few at most and kept for days.
create table records.unopened_callbacks (
  id uuid primary key,
  token_key_id text not null,
  key_id text not null,
  ciphertext bytea not null,
  source_address text not null,
  from_rail boolean not null,
  received_at timestamptz(3) not null default records.now_()
);
create index unopened_callbacks_by_key on records.unopened_callbacks (token_key_id, received_at);
create index unopened_callbacks_by_age on records.unopened_callbacks (from_rail, received_at);
