-- A payment that the rail told of, and for which nothing else in the service accounts: people decide by it.
alter table records.callback_inbox
  add column told boolean not null default false,
  add column told_receipt text,
  add column told_minor bigint,
  add column told_paid_at timestamptz(3);
create index callback_inbox_told on records.callback_inbox (received_at) where told;
