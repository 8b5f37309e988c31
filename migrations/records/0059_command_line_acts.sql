-- Acts of people on command lines, until a worker writes their lines of the security log (docs/reference/people.md, PEO-60).
create table records.command_line_acts (
  id bigint generated always as identity primary key,
  acted_at timestamptz(3) not null default records.now_(),
  event text not null check (event in (
    'signed_in', 'signed_out', 'session_ended', 'presence_proved', 'presence_not_proved', 'refused')),
  -- As events name a person: <issuer>#<subject>.
  person text not null,
  -- Its words, without arguments.
  command text not null,
  -- user@host
  machine text not null
);
