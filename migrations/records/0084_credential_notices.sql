-- Credentials that end soon are announced as well (docs/reference/people.md, PEO-20).
alter table records.notices drop constraint notices_kind_check;
alter table records.notices add constraint notices_kind_check
  check (kind in ('review', 'correction', 'role', 'proposal', 'request', 'break_glass', 'endpoint', 'credential'));
