-- A role that takes two admins is a proposal as any other (docs/reference/people.md, PEO-34). An open one keeps its id and its
-- end, so that it can still be confirmed; what was decided stays on record. The release before still uses role_proposals,
-- so a later migration drops it.
insert into records.proposals
  (id, kind, about, merchant_id, details, seen, reason, proposed_by, proposed_at, ends_at, ended_at, ended_by, outcome)
select id, 'role', concat_ws(' ', person, role, coalesce(merchant_id, '')), merchant_id,
  jsonb_strip_nulls(jsonb_build_object('person', person, 'name', name, 'role', role, 'merchantId', merchant_id)),
  '', reason, proposed_by, proposed_at, ends_at, ended_at, ended_by,
  case outcome when 'decided' then 'confirmed' else outcome end
from records.role_proposals;
