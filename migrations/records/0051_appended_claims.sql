-- When the decision that claimed the receipt was appended; null while that is not known. A claim whose event was appended,
-- and is not in the log, is of a history that a restore has lost.
alter table records.receipt_claims add column appended_at timestamptz(3);
