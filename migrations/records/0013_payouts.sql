-- The numbers of payouts that are not final, sealed; a row goes when its payout is.
create table records.payout_phones (
  -- The payout's stream and the number's keyed digest: of two requests for a reference, each keeps its own.
  id text primary key,
  stream text not null,
  key_id text not null,
  ciphertext bytea not null,
  kept_at timestamptz(3) not null default records.now_()
);
create index payout_phones_by_stream on records.payout_phones (stream);
create index payout_phones_by_age on records.payout_phones (kept_at);

-- What each day of a merchant's zone sums up to, of what was asked for and of what passed without a second holder.
create table records.payout_days (
  kind text not null check (kind in ('asked', 'automatic')),
  merchant_id text not null,
  mode text not null,
  day date not null,
  total_minor bigint not null,
  primary key (kind, merchant_id, mode, day)
);

-- Which payouts were counted, so that each is counted once, and can be given back.
create table records.payout_allowances (
  stream text not null,
  kind text not null,
  amount_minor bigint not null,
  merchant_id text not null,
  mode text not null,
  day date not null,
  primary key (stream, kind, amount_minor)
);
create index payout_allowances_by_day on records.payout_allowances (day);
