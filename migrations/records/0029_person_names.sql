-- What the issuer last called whoever signed in: shown beside their id, and in no event (docs/adr/0041).
create table records.person_names (
  -- As events name a person: <issuer>#<subject>.
  person text primary key,
  name text not null,
  told_at timestamptz(3) not null default records.now_()
);
create index person_names_by_age on records.person_names (told_at);
