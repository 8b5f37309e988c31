-- The views of shape 19. Run with the search_path set to the set's own schema; everything here can be
-- thrown away and rebuilt from the events to the same bytes.

create table checkpoint (
  singleton boolean primary key default true check (singleton),
  -- Every event up to this position of the log is in the views.
  position bigint not null,
  -- The last event applied: the log must hold it, or it is another log.
  stream text,
  revision bigint,
  event_id uuid,
  -- When the views last held everything that the log did; null until the first time.
  fresh_at timestamptz(3),
  -- Of the rows in quarantines: a batch looks there only where there are some.
  quarantined integer not null default 0,
  -- Ledger entries have no link yet: what stands still is to come before them in their chains.
  unlinked boolean not null default false
);
insert into checkpoint (position) values (0);

-- What stands still because one of its events cannot be applied: the later ones are held back until a retry.
create table quarantines (
  merchant_id text not null,
  -- A mode, whose reads answer 503, or the merchant's own stream, with which both modes stand still.
  scope text not null check (scope in ('live', 'demo', 'merchant')),
  -- The event at which it stands.
  position bigint not null,
  stream text not null,
  type text not null,
  event_id uuid not null,
  recorded_at timestamptz(3) not null,
  why text not null,
  -- Every event of the scope up to here is applied, none after it.
  applied_to bigint not null,
  retries integer not null default 0,
  retry_requested_at timestamptz(3),
  primary key (merchant_id, scope)
);

create table merchants (
  merchant_id text primary key,
  name text not null,
  timezone text not null,
  country text not null,
  -- The merchant's name in V3's checkout links.
  vid text unique,
  -- To which its callbacks and its customers may be sent.
  hosts text[] not null default '{}',
  checkout_strict boolean not null default false
);

create table accounts (
  account_no text primary key,
  merchant_id text not null references merchants,
  mode text not null,
  currency text not null,
  -- Of the event that opened it, so that the oldest can be told.
  position bigint not null,
  -- The rails over which V4 may move its money.
  channels text[] not null default '{mpesa}'
);
create index accounts_of_merchant on accounts (merchant_id, position);

create table fee_schedules (
  merchant_id text not null references merchants,
  mode text not null,
  basis_points integer not null,
  flat_minor bigint not null,
  primary key (merchant_id, mode)
);

-- What bounds a merchant's payouts; null bounds nothing, but for what passes without a second holder.
create table payout_terms (
  merchant_id text not null references merchants,
  mode text not null,
  max_minor bigint,
  max_per_day_minor bigint,
  automatic_max_minor bigint,
  automatic_per_day_minor bigint,
  -- The keyed digests of the only numbers that may be paid.
  destinations text[],
  primary key (merchant_id, mode)
);

-- Modes in which payouts are paused, of one merchant or, under the empty id, of all (docs/adr/0047).
create table payout_pauses (
  merchant_id text not null,
  mode text not null,
  since timestamptz(3) not null,
  primary key (merchant_id, mode)
);

-- Each kind has a name of its own that callers say: client id (v4), consumer key (v3) or key id (checkout).
create table credentials (
  credential_id text primary key,
  merchant_id text not null references merchants,
  kind text not null,
  -- Null for v3, whose callers pass a flag.
  mode text,
  holder text not null,
  client_id text unique,
  consumer_key text unique,
  key_id text unique,
  public_key_pem text,
  ip_ranges text[],
  rate text,
  revoked boolean not null
);
create index credentials_of_merchant on credentials (merchant_id);

-- The V4 list item, a row each; position is that of the item's first event in the log. What changes stands behind
-- what does not and in no index, and pages keep space for new versions: an update stays in its page (HOT), writes
-- little log and touches no index (docs/adr/0026).
create table transactions (
  position bigint primary key,
  stream text not null unique,
  merchant_id text not null,
  mode text not null,
  type text not null,
  reference text not null,
  currency text not null,
  id uuid not null,
  account_no text not null,
  channel text not null,
  requested_minor bigint not null,
  created_at timestamptz(3) not null,
  -- A day of the merchant's time zone.
  created_on date not null,
  status text not null,
  amount_minor bigint not null,
  fee_minor bigint not null,
  rail_reference text,
  receipt text,
  failure_code text,
  under_review boolean not null,
  completed_at timestamptz(3),
  paid_at timestamptz(3),
  -- When its money was first posted, to the wallet or to suspense.
  posted_at timestamptz(3),
  -- When a payout was found to be more than the rail's own account held.
  waiting_since timestamptz(3),
  -- When a payout was given to the rail: its money moves after that, however long it waited before.
  started_at timestamptz(3),
  -- The number's keyed digest, by which a customer's items are found; and of a payout its batch.
  phone_hmac text,
  batch_reference text,
  -- Of a collection that came by V3: where its own webhooks go.
  callback_url text,
  -- Of a collection: the interface that created it, or c2b.
  came_by text,
  -- Of the event that posted it to the wallet: what was completed as of a position (docs/adr/0037).
  completed_position bigint,
  -- By which instants it stood on a day of payment before, the oldest first, separated by commas.
  paid_before text,
  -- By what a line of the rail's statement finds it: our code, and the masked number.
  account_reference text,
  phone_masked text,
  -- Of the event that told its receipt: a statement as of a position tells those that were known there.
  receipt_position bigint,
  -- For a refund: the collection's reference, and the receipt that the rail reverses, if it reverses the payment.
  refund_reference text,
  reverses_receipt text,
  -- For a collection: the sums of its refunds that are paid, and of those without an outcome.
  refunded_minor bigint not null default 0,
  refunding_minor bigint not null default 0
) with (fillfactor = 50);
create index transactions_newest on transactions (merchant_id, mode, position desc);
-- Payouts are few among many collections: a list of them alone must not walk past all the others.
create index transactions_of_payouts on transactions (merchant_id, mode, position desc)
  where type = 'payout';
create index transactions_of_batches on transactions (merchant_id, mode, batch_reference, position desc)
  where batch_reference is not null;
-- Nearly all collections come by V4, so a past state of the others alone must not walk past them.
create index transactions_of_origins on transactions (merchant_id, mode, came_by, position desc)
  where came_by <> 'v4';
-- The beginning of the digest tells numbers apart: half of what a b-tree of digests would have the projector write, at
-- random places, for each item. A number may have a million items, as one that everybody tests with has (docs/adr/0041).
create index transactions_by_phone on transactions (left(phone_hmac, 7), position desc);
-- A rail that knows a push by our own reference names it in callbacks. M-Pesa has an id of its own, and needs no entry.
create index transactions_by_account_reference on transactions (account_reference) where channel <> 'mpesa';

-- By what the list is filtered and what changes, a narrow row each: an item that is settled moves here, and only here.
create table transaction_listings (
  position bigint primary key,
  merchant_id text not null,
  mode text not null,
  -- Of a collection its origin, else its type: one word, so that each index has the items of an origin side by side.
  kind text not null,
  status text not null,
  -- Days of the merchant's time zone. Where the rail has not told when it was paid, that of the posting.
  completed_on date,
  paid_on date
);
-- Nulls last, in which the primary key does not have positions: where Postgres knows too little of a filter, it must
-- not choose to walk that key through the whole history for the few items that match.
create index transaction_listings_by_status
  on transaction_listings (merchant_id, mode, status, kind, position desc nulls last);
create index transaction_listings_by_completion
  on transaction_listings (merchant_id, mode, completed_on, kind, status, position desc nulls last)
  where completed_on is not null;
create index transaction_listings_by_payment
  on transaction_listings (merchant_id, mode, paid_on, kind, status, position desc nulls last)
  where paid_on is not null;

-- Days of payment on which items stood before the rail told another time: a page as of then finds them.
create table paid_days_left (
  position bigint not null,
  day date not null,
  merchant_id text not null,
  mode text not null,
  primary key (position, day)
);
create index paid_days_left_by_day on paid_days_left (merchant_id, mode, day, position desc);

-- Which collections bear a rail's reference, and which a receipt; several, where the rail broke its promise.
create table rail_references (
  mode text not null,
  rail_reference text not null,
  position bigint not null,
  primary key (mode, rail_reference, position)
);
create table receipts (
  mode text not null,
  receipt text not null,
  position bigint not null,
  primary key (mode, receipt, position)
);

-- Between which positions the items of a day stand, so that a page of an old day is found at once.
create table transaction_days (
  merchant_id text not null,
  mode text not null,
  day date not null,
  first_position bigint not null,
  last_position bigint not null,
  primary key (merchant_id, mode, day)
);

-- Items by the day on which they began, in the merchant's zone, and by their state. A row exists only while it has
-- items. Rows without an account sum up a merchant's accounts; rows without a merchant sum up all merchants.
create table day_figures (
  -- Empty in the rows of all merchants.
  merchant_id text not null,
  mode text not null,
  -- Empty in the rows of all accounts.
  account_no text not null,
  day date not null,
  currency text not null,
  type text not null,
  status text not null,
  -- Empty for items without one.
  failure_code text not null,
  under_review boolean not null,
  items bigint not null,
  amount_minor numeric(38, 0) not null,
  fee_minor numeric(38, 0) not null,
  primary key (merchant_id, mode, account_no, day, currency, type, status, failure_code, under_review)
) with (fillfactor = 70);

create table ledger_entries (
  position bigint not null,
  leg smallint not null,
  event_id uuid not null,
  stream text not null,
  mode text not null,
  currency text not null,
  account text not null,
  amount_minor bigint not null,
  recorded_at timestamptz(3) not null,
  -- Of the posting, at its first leg (AUD-4).
  leaf bytea,
  -- Of the leg, in its account's chain (AUD-6); null while an earlier event is held back.
  link bytea,
  primary key (position, leg)
);
create index ledger_entries_by_account on ledger_entries (mode, currency, account, position);
create index ledger_entries_unlinked on ledger_entries (position, leg) where link is null;

-- Credits and debits apart: available balances need the credits alone.
create table balances (
  mode text not null,
  currency text not null,
  account text not null,
  credits_minor numeric(38, 0) not null,
  debits_minor numeric(38, 0) not null,
  -- The last one of the account's chain; null while all of its entries wait for theirs.
  link bytea,
  primary key (mode, currency, account)
);

-- What the entries of a section of the log come to, by account: a section is 2^24 positions, of some thousands of
-- postings. What an account held at a position are the sections before it and a few entries (docs/adr/0041).
create table ledger_sections (
  mode text not null,
  currency text not null,
  account text not null,
  -- position / 2^24.
  section bigint not null,
  credits_minor numeric(38, 0) not null,
  debits_minor numeric(38, 0) not null,
  entries bigint not null,
  -- Of a wallet: how many of them are collections and payouts, and what these come to. The rest are corrections.
  collections bigint not null,
  payouts bigint not null,
  collected_minor numeric(38, 0) not null,
  paid_out_minor numeric(38, 0) not null,
  fees_minor numeric(38, 0) not null,
  primary key (mode, currency, account, section)
);

-- Sums of a wallet's entries by the day of their recording, in the merchant's zone: a day's closing balance is the
-- balance less the sums of later days.
create table account_days (
  mode text not null,
  currency text not null,
  account_no text not null,
  day date not null,
  credits_minor numeric(38, 0) not null,
  debits_minor numeric(38, 0) not null,
  primary key (mode, currency, account_no, day)
) with (fillfactor = 70);

-- All that is reserved or was ever paid out of a wallet: the running total of its reservations.
create table reservations (
  mode text not null,
  currency text not null,
  account_no text not null,
  total_minor numeric(38, 0) not null,
  primary key (mode, currency, account_no)
);

-- Reservations whose money has not been taken yet; a row stays for moments, or until the worker finishes it.
create table open_reservations (
  -- The stream of what takes the money.
  source text primary key,
  stream text not null,
  amount_minor bigint not null,
  reserved_at timestamptz(3) not null,
  position bigint not null
);

-- Operators' corrections, a row each; legs as account=amount.
create table corrections (
  stream text primary key,
  id text not null,
  merchant_id text not null,
  mode text not null,
  currency text not null,
  legs text[] not null,
  why text not null,
  corrects text,
  receipt text,
  may_overdraw boolean not null,
  proposed_by text not null,
  proposed_at timestamptz(3) not null,
  position bigint not null,
  -- Null while it waits for a second operator.
  confirmed_by text,
  posted_at timestamptz(3),
  -- Where it ended without a posting: expired or withdrawn.
  ended_at timestamptz(3),
  outcome text
);
create index corrections_waiting on corrections (proposed_at) where posted_at is null and ended_at is null;
create index corrections_by_position on corrections (position);
create index corrections_by_receipt on corrections (mode, receipt) where receipt is not null;

-- Payouts that somebody is still to do something about: finish the request (requested), decide (reserved), send
-- (approved), report (started), or post what was paid after its decline (paid). Declined ones stay: the rail may still
-- pay them, and is asked for as long as for a collection. So do those that it refused in its answer to the order: it is
-- asked about them once a report comes.
create table open_payouts (
  stream text primary key,
  mode text not null,
  channel text not null,
  step text not null check (step in ('requested', 'reserved', 'approved', 'started', 'paid', 'declined', 'refused')),
  since timestamptz(3) not null,
  -- Of the item's first event: the oldest is sent first.
  position bigint not null,
  originator_conversation_id text
);
create index open_payouts_by_step on open_payouts (step, mode, position);
create index open_payouts_by_age on open_payouts (step, since);

-- Refunds whose claim on their collection has not ended, by the stream of the payout.
create table open_refunds (
  stream text primary key,
  since timestamptz(3) not null
);

-- Approvals that count in a day of their merchant: the last one of each payout, until it expires or nothing was sent.
create table payout_approvals (
  stream text primary key,
  merchant_id text not null,
  mode text not null,
  amount_minor bigint not null,
  -- The stream of the batch that the payout is part of.
  batch_stream text,
  -- It passed without a second holder.
  is_automatic boolean not null,
  approved_at timestamptz(3) not null
);
create index payout_approvals_by_day on payout_approvals (merchant_id, mode, approved_at);

-- Batches of payouts, and how many of their payouts have come how far.
create table payout_batches (
  stream text primary key,
  mode text not null,
  items integer not null,
  -- Of the batch's own stream, and since when.
  step text not null check (step in ('requested', 'approved', 'cancelled', 'rejected')),
  since timestamptz(3) not null,
  recorded integer not null default 0,
  reserved integer not null default 0,
  -- With the batch, not anew after an approval that expired.
  approved integer not null default 0,
  started integer not null default 0,
  rejected integer not null default 0,
  -- Its payouts have not followed it yet: its process is at work, or has died.
  behind boolean not null generated always as (
    case step when 'requested' then reserved < items when 'approved' then approved < items
      when 'cancelled' then started + rejected < items else rejected < recorded end) stored
);
create index payout_batches_behind on payout_batches (since) where behind;

-- The numbers that a wallet ever paid, by their keyed digests.
create table paid_numbers (
  mode text not null,
  account_no text not null,
  phone_hmac text not null,
  primary key (mode, account_no, phone_hmac)
);

-- Collections of which only the rail knows whether they are paid: pending ones, and declined ones, whose money may
-- still come.
create table rail_queries (
  stream text primary key,
  mode text not null,
  rail_reference text,
  intent_at timestamptz(3) not null,
  declined boolean not null default false,
  channel text not null default 'mpesa'
);
create index rail_queries_by_age on rail_queries (declined, intent_at, stream);

-- Collections at which a person is to look, a row each; why, since when, and the event that says so.
create table reviews (
  stream text primary key,
  merchant_id text not null,
  mode text not null,
  reference text not null,
  why text not null,
  flagged_at timestamptz(3) not null,
  position bigint not null
);
create index reviews_by_position on reviews (position);

-- Streams that bear one receipt of the rail with another: a receipt is one payment's.
create table receipt_conflicts (
  mode text not null,
  receipt text not null,
  stream text not null,
  -- Whether its collection was given to people for that; a correction is told of beside it.
  flagged boolean not null,
  primary key (mode, receipt, stream)
);
create index receipt_conflicts_to_flag on receipt_conflicts (stream) where not flagged;

-- V3's notices and its end, a row each.
create table v3_retirement_steps (
  position bigint primary key,
  type text not null,
  recorded_at timestamptz(3) not null,
  operator text not null,
  reason text,
  text text,
  calls_in_window integer,
  threshold integer
);

-- Through which interface a merchant's collections come (v3, v4, checkout), by day (UTC) of their intents.
create table collection_origins (
  merchant_id text not null,
  mode text not null,
  origin text not null,
  day date not null,
  collections bigint not null,
  primary key (merchant_id, mode, origin, day)
);

-- Where a merchant's webhooks go, a row for each time it was set: what is owed follows from the endpoint that stood at
-- an event's position, whatever was set later.
create table webhook_endpoints (
  merchant_id text not null references merchants,
  mode text not null,
  kind text not null check (kind in ('v4', 'v3')),
  from_position bigint not null,
  -- Exclusive; null: it stands.
  to_position bigint,
  url text not null,
  enabled boolean not null,
  -- Whether the headers of standard-webhooks go with ours.
  standard_headers boolean not null,
  primary key (merchant_id, mode, kind, from_position)
);
create unique index webhook_endpoints_standing on webhook_endpoints (merchant_id, mode, kind)
  where to_position is null;

-- The last number of each merchant and mode.
create table webhook_sequences (
  merchant_id text not null,
  mode text not null,
  last_sequence bigint not null,
  primary key (merchant_id, mode)
);

-- What merchants hear of their items, numbered without gaps; the body's bytes as of the event's position.
create table webhook_events (
  merchant_id text not null,
  mode text not null,
  sequence bigint not null,
  -- Of the event of the log that tells the outcome.
  id uuid not null,
  type text not null,
  position bigint not null,
  recorded_at timestamptz(3) not null,
  callback_url text,
  body text not null,
  primary key (merchant_id, mode, sequence)
);

-- Days that were compared with a statement of the rail, a row each time; the event holds what was left open.
create table reconciliations (
  id text primary key,
  merchant_id text not null,
  mode text not null,
  account_no text not null,
  currency text not null,
  date date not null,
  recorded_at timestamptz(3) not null,
  operator text not null,
  file_sha256 text not null,
  ledger_position bigint not null,
  matched integer not null,
  open integer not null,
  -- References that the rail and the ledger count on different days.
  other_day text[] not null,
  -- Their streams; none where the event tells of none.
  other_day_streams text[] not null,
  -- Whose people reconciled: platform or merchant; null where the event does not tell.
  made_by text,
  -- The rail whose statement it is.
  channel text not null,
  -- Of the event in its stream.
  revision bigint not null,
  position bigint not null
);
create index reconciliations_of_day on reconciliations (merchant_id, mode, account_no, date);
create index reconciliations_by_position on reconciliations (position);

-- Movements of money from the rail's account to the organisation's bank, a row each.
create table bank_settlements (
  stream text primary key,
  channel text not null,
  mode text not null,
  currency text not null,
  receipt text not null,
  amount_minor bigint not null,
  -- The rail's time; null if its zone is not certain.
  paid_at timestamptz(3),
  -- The source: list or statement.
  told_by text not null,
  recorded_at timestamptz(3) not null,
  position bigint not null
);
create index bank_settlements_newest on bank_settlements (mode, channel, position);
create index bank_settlements_by_receipt on bank_settlements (mode, receipt);

-- What people did, a row each: whoever acted, when, about what and why.
create table acts (
  position bigint primary key,
  -- What it is about: role, review, credential …
  kind text not null,
  -- The event's.
  type text not null,
  recorded_at timestamptz(3) not null,
  actor text not null,
  -- Whoever took part: who acted, proposed, confirmed, or decided as a holder.
  people text[] not null,
  -- Null where it concerns the platform alone.
  merchant_id text,
  mode text,
  stream text not null,
  -- Of the event in its stream.
  revision bigint not null,
  reason text,
  -- JSON of what the event says besides.
  details text not null
);
create index acts_by_person on acts using gin (people);
create index acts_of_merchant on acts (merchant_id, position);
create index acts_by_kind on acts (kind, position);
create index acts_by_time on acts (recorded_at);

-- Postgres analyzes a table again once it changed as much as it is large, not by a tenth (docs/adr/0063): a table that
-- grows by thousands of rows between two looks of autovacuum is then not sampled at every look. Records migration 0068
-- sets the same on sets that were made before.
alter table transactions set (autovacuum_analyze_threshold = 1000, autovacuum_analyze_scale_factor = 1);
alter table transaction_listings set (autovacuum_analyze_threshold = 1000, autovacuum_analyze_scale_factor = 1);
alter table ledger_entries set (autovacuum_analyze_threshold = 1000, autovacuum_analyze_scale_factor = 1);
alter table webhook_events set (autovacuum_analyze_threshold = 1000, autovacuum_analyze_scale_factor = 1);
alter table rail_references set (autovacuum_analyze_threshold = 1000, autovacuum_analyze_scale_factor = 1);
alter table receipts set (autovacuum_analyze_threshold = 1000, autovacuum_analyze_scale_factor = 1);
-- Few rows that nearly every batch changes: their statistics say nothing new.
alter table checkpoint set (autovacuum_analyze_threshold = 20000, autovacuum_analyze_scale_factor = 1);
alter table balances set (autovacuum_analyze_threshold = 20000, autovacuum_analyze_scale_factor = 1);
alter table ledger_sections set (autovacuum_analyze_threshold = 20000, autovacuum_analyze_scale_factor = 1);
alter table account_days set (autovacuum_analyze_threshold = 20000, autovacuum_analyze_scale_factor = 1);
alter table day_figures set (autovacuum_analyze_threshold = 20000, autovacuum_analyze_scale_factor = 1);
alter table transaction_days set (autovacuum_analyze_threshold = 20000, autovacuum_analyze_scale_factor = 1);
alter table collection_origins set (autovacuum_analyze_threshold = 20000, autovacuum_analyze_scale_factor = 1);
alter table webhook_sequences set (autovacuum_analyze_threshold = 20000, autovacuum_analyze_scale_factor = 1);
-- A queue: it stays small, and all of its rows come and go.
alter table rail_queries set (autovacuum_analyze_threshold = 100000, autovacuum_analyze_scale_factor = 1);

-- Postgres vacuums a table to which rows are only appended after every 20,000 of them, and freezes them at once
-- (docs/adr/0080). Records migration 0088 sets the same on sets that were made before.
alter table ledger_entries set (autovacuum_vacuum_insert_threshold = 20000, autovacuum_vacuum_insert_scale_factor = 0, autovacuum_freeze_min_age = 0);
alter table webhook_events set (autovacuum_vacuum_insert_threshold = 20000, autovacuum_vacuum_insert_scale_factor = 0, autovacuum_freeze_min_age = 0);
alter table rail_references set (autovacuum_vacuum_insert_threshold = 20000, autovacuum_vacuum_insert_scale_factor = 0, autovacuum_freeze_min_age = 0);
alter table receipts set (autovacuum_vacuum_insert_threshold = 20000, autovacuum_vacuum_insert_scale_factor = 0, autovacuum_freeze_min_age = 0);
-- A row is changed once or twice, mostly within its page.
alter table transactions set (autovacuum_vacuum_threshold = 20000, autovacuum_vacuum_scale_factor = 0,
  autovacuum_vacuum_insert_threshold = 20000, autovacuum_vacuum_insert_scale_factor = 0);
-- A vacuum reads all of its indexes: slowly, and only once a fifth of the rows are dead.
alter table transaction_listings set (autovacuum_vacuum_cost_delay = 10, autovacuum_vacuum_insert_threshold = -1);
