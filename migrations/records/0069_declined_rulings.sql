-- The person who declined or withdrew a proposal of a review, and the reason (docs/reference/reviews-fees-corrections.md,
-- REV-11).
alter table records.review_proposals add column ended_by text, add column end_reason text;
