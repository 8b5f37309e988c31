-- The moments that decide which sign-ins and proofs of presence of a person count (docs/reference/people.md, PEO-50 and PEO-51).
create table records.person_access (
  -- As events name a person: <issuer>#<subject>.
  person text primary key,
  -- The latest auth_time of any sign-in or proof. A proof of presence is later.
  seen_at timestamptz(3),
  -- Sessions that began before it have ended.
  not_before timestamptz(3),
  changed_at timestamptz(3) not null default records.now_()
);
create index person_access_by_age on records.person_access (changed_at);

-- A sign-in on the command line is a session as well: its hash is that of the identity token.
alter table records.portal_sessions
  add column kind text not null default 'browser' check (kind in ('browser', 'command_line')),
  -- The person proved presence for the next minutes (`login --fresh`).
  add column proved_at timestamptz(3);
create index portal_sessions_by_person on records.portal_sessions (issuer, subject)
  where revoked_at is null;
