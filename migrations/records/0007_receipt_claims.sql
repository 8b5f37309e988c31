-- Which stream an operator's decision may write a receipt of the rail into; one row for each receipt, for ever.
create table records.receipt_claims (
  mode text not null,
  receipt text not null,
  stream text not null,
  -- The stream's revision that the append expects; -1 where there is no stream yet.
  revision bigint not null,
  claimed_at timestamptz(3) not null default records.now_(),
  primary key (mode, receipt)
);
