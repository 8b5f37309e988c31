-- A new admin who is announced is told as well (docs/reference/people.md, PEO-58).
alter table records.notices drop constraint notices_kind_check;
alter table records.notices add constraint notices_kind_check
  check (kind in ('review', 'correction', 'role', 'break_glass'));
