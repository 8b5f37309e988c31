-- The stream's last revision that the proposer saw; null where a proposal holds whatever came after it.
alter table records.review_proposals add column revision bigint;
