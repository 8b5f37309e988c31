-- Webhook endpoints that fail are announced as well (docs/reference/people.md, PEO-23).
alter table records.notices drop constraint notices_kind_check;
alter table records.notices add constraint notices_kind_check
  check (kind in ('review', 'correction', 'role', 'proposal', 'break_glass', 'endpoint'));
