-- Calls of merchants' programs, for the merchant's own people (docs/reference/portal.md, POR-105): no body, no header.
create table records.api_calls (
  id bigint generated always as identity primary key,
  -- The credential that the request named or proved.
  credential_id text not null,
  -- Null if the request did not prove its credential.
  merchant_id text,
  mode text,
  request_id text not null,
  method text not null,
  -- The route's pattern.
  route text not null,
  -- Path and query with long numbers masked. Null for V3 and for an unproven credential.
  target text,
  status integer not null,
  -- Null if the call was accepted.
  code text,
  -- Null for calls that an earlier release noted.
  duration_ms integer,
  called_at timestamptz(3) not null
);
create index api_calls_of_credential on records.api_calls (credential_id, id desc);
create index api_calls_refused on records.api_calls (credential_id, id desc) where code is not null;
-- The newest accepted calls of a merchant and mode are kept.
create index api_calls_accepted on records.api_calls (merchant_id, mode, id desc) where code is null;
create index api_calls_by_age on records.api_calls (called_at);

-- API processes of an earlier release still write refused_requests. A later release removes that table.
insert into records.api_calls (credential_id, request_id, method, route, status, code, called_at)
  select credential_id, request_id, method, route, status, code, refused_at
    from records.refused_requests order by id;
