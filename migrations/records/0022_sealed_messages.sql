-- What merchants sent and what rails said, byte for byte, each under a key of its own (docs/adr/0035). A message opens
-- with the data key that it names and with own_key, and so does the evidence of the events that name it: where own_key is
-- gone nobody opens either, and ciphertext and commitments stay. Kept for EVIDENCE_RETENTION.
-- rail_messages stays for what earlier releases have kept there, and for their replicas during a rolling release.
create table records.sealed_messages (
  -- A version 7 UUID, so that the oldest come first.
  id uuid primary key,
  kind text not null,
  stream text not null,
  -- Of the customer whose number stands in a request. What a rail says belongs to the customer of its stream.
  phone_hmac bytea,
  -- A payout of a batch: its bytes are those of the batch's request, which is this one.
  within uuid,
  key_id text not null,
  -- Null: erased, or the row of a payout of a batch.
  own_key bytea,
  ciphertext bytea not null,
  received_at timestamptz(3) not null default records.now_(),
  erased_at timestamptz(3)
);
-- Random bytes cannot be compressed: it would be tried for each long one.
alter table records.sealed_messages alter column ciphertext set storage external;
create index sealed_messages_by_stream on records.sealed_messages (stream);
-- Asked for one customer at a time, and seldom; so it is an index that hardly costs an insert.
create index sealed_messages_by_phone on records.sealed_messages
  using brin (phone_hmac bytea_bloom_ops) with (autosummarize = on);
create index sealed_messages_within on records.sealed_messages (within) where within is not null;

-- Streams of collections and payouts whose messages were erased: what a rail says later is kept without its key.
create table records.erased_streams (
  stream text primary key,
  erased_at timestamptz(3) not null default records.now_()
);
