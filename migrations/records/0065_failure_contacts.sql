-- The address to which a merchant's people want a mail when their webhook endpoint fails (docs/reference/portal.md,
-- POR-107). It is contact data: no event, log line or notice contains it.
create table records.failure_contacts (
  merchant_id text not null,
  mode text not null,
  kind text not null,
  email text not null,
  -- The person who entered it, as events name people.
  person text not null,
  changed_at timestamptz(3) not null default records.now_(),
  primary key (merchant_id, mode, kind)
);

-- A notice to the merchant's own people names the endpoint; the address is read when it is sent.
alter table records.notices add column merchant_id text, add column endpoint_kind text;
alter table records.notices drop constraint notices_channel_check;
alter table records.notices add constraint notices_channel_check check (channel in ('url', 'mail', 'merchant'));
