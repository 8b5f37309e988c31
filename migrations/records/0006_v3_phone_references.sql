-- V3's collections whose reference holds the customer's number. V3 is frozen and takes them; nobody can erase them.
create table records.v3_phone_references (
  day date not null,
  merchant_id text not null,
  collections bigint not null,
  primary key (day, merchant_id)
);
