-- The activity log lists proposals of reviews and their rejections and withdrawals by time, newest first
-- (docs/reference/reviews-fees-corrections.md, REV-11).
create index review_proposals_by_time on records.review_proposals (proposed_at, id);
create index review_proposals_declined_by_time on records.review_proposals (ended_at, id)
  where outcome in ('declined', 'withdrawn');
