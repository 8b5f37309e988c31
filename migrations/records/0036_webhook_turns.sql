-- A delivery goes to its endpoint's URL, or to a host of the callbackUrls that collections bring along: each of them has
-- a bound and a circuit of its own (docs/adr/0032).
alter table records.webhook_deliveries
  -- Empty: the endpoint's URL. What an older release owes goes by the endpoint's until its first attempt.
  add column callback_host text not null default '',
  -- Whose turn it is: 0 a person asked for it, 1 it was never attempted, 2 it was.
  add column turn smallint not null default 1;
update records.webhook_deliveries set turn = 2 where next_attempt_at is not null and attempts > 0;

drop index records.webhook_deliveries_due;
create index webhook_deliveries_due
  on records.webhook_deliveries (merchant_id, mode, kind, callback_host, turn, next_attempt_at)
  where next_attempt_at is not null;

-- How an endpoint's URL, or a callback host, answers: its circuit, shared by all workers. Workers of an older release go
-- on with webhook_health, which goes with a later release.
create table records.webhook_circuits (
  merchant_id text not null,
  mode text not null,
  kind text not null,
  -- Empty: the endpoint's URL.
  callback_host text not null,
  -- In a row.
  failures integer not null default 0,
  failing_since timestamptz(3),
  -- Of the first event that it refused since it took one; null where it took the last one.
  refusing_since timestamptz(3),
  last_attempt_at timestamptz(3),
  last_success_at timestamptz(3),
  last_status integer,
  last_outcome text,
  -- Nothing is sent before, but for one that tries whether it answers again.
  closed_until timestamptz(3),
  primary key (merchant_id, mode, kind, callback_host)
);
insert into records.webhook_circuits (merchant_id, mode, kind, callback_host, failures, failing_since, last_attempt_at,
    last_success_at, last_status, last_outcome, closed_until)
  select merchant_id, mode, kind, '', failures, failing_since, last_attempt_at,
      last_success_at, last_status, last_outcome, closed_until
    from records.webhook_health;
