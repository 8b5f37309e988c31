-- Lists that people keep on a merchant's pages, each their own.
create table records.saved_views (
  -- As events name a person: <issuer>#<subject>.
  person text not null,
  merchant_id text not null,
  mode text not null,
  name text not null,
  -- Of the list, without its question mark.
  query text not null,
  primary key (person, merchant_id, mode, name)
);

-- When each credential was last used, to the minute.
create table records.credential_uses (
  credential_id text primary key,
  last_used_at timestamptz(3) not null
);

-- Calls that were refused, kept for 7 days: never their path, query or body.
create table records.refused_requests (
  id bigint generated always as identity primary key,
  -- Which the request named or proved to be.
  credential_id text not null,
  request_id text not null,
  method text not null,
  -- The route's pattern.
  route text not null,
  status integer not null,
  code text not null,
  refused_at timestamptz(3) not null
);
create index refused_requests_of_credential on records.refused_requests (credential_id, id desc);
create index refused_requests_by_age on records.refused_requests (refused_at);
