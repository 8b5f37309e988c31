-- A confirmation claims its proposal before it appends the decision, so that no rejection is acknowledged meanwhile
-- (docs/reference/reviews-fees-corrections.md, REV-11).
alter table records.review_proposals add column claim uuid, add column claimed_at timestamptz(3);
