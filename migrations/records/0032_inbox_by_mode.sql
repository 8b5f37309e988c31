-- Each mode's callbacks are taken up apart: live's wait for no answer of demo's rail.
create index callback_inbox_due_by_mode on records.callback_inbox
  (split_part(split_part(stream, ':', 1), '-', 2), next_attempt_at, id) where applied_at is null;
