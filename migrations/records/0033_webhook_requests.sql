-- What a person asked to have sent by hand: an event once more, or a sample. Who and why.
create table records.webhook_requests (
  id bigint generated always as identity primary key,
  -- The sample's own, where it is one.
  webhook_id uuid not null,
  kind text not null,
  merchant_id text not null,
  mode text not null,
  type text not null,
  is_sample boolean not null,
  -- As events name who acts, with the user and host where a name was typed.
  person text not null,
  holder text,
  -- Null: the portal's form asks for none.
  reason text,
  asked_at timestamptz(3) not null default records.now_()
);
create index webhook_requests_of_event on records.webhook_requests (webhook_id);
create index webhook_requests_by_endpoint on records.webhook_requests (merchant_id, asked_at desc);
create index webhook_requests_by_age on records.webhook_requests (asked_at);
