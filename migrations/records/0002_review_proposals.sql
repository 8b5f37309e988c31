-- Rulings of one operator that wait for another's confirmation; never deleted.
create table records.review_proposals (
  id uuid primary key,
  stream text not null,
  mode text not null,
  decision text not null,
  receipt text,
  amount_minor bigint,
  paid_at timestamptz(3),
  reason text not null,
  proposed_by text not null,
  proposed_at timestamptz(3) not null default records.now_(),
  ended_at timestamptz(3),
  outcome text,
  check ((ended_at is null) = (outcome is null))
);
create unique index review_proposals_open on records.review_proposals (stream) where ended_at is null;
-- Two collections cannot be about to be paid with one receipt: whoever comes second finds the first one's posting.
create unique index review_proposals_open_receipt on records.review_proposals (mode, receipt)
  where ended_at is null and receipt is not null;
create index review_proposals_by_stream on records.review_proposals (stream, proposed_at);

-- What a person asks of the inbox: everything about one collection, and what was left for review.
create index callback_inbox_by_stream on records.callback_inbox (stream);
create index callback_inbox_left_for_review on records.callback_inbox (received_at)
  where outcome like 'left_for_review%';
