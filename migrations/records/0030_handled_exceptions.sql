-- Open lines of an account's day that somebody has dealt with, and what they wrote of it.
create table records.handled_exceptions (
  merchant_id text not null,
  mode text not null,
  account_no text not null,
  day date not null,
  -- SHA-256 of what names the line from one comparison of the day to the next: finding, receipt and stream.
  line text not null,
  -- As events name a person: <issuer>#<subject>.
  person text not null,
  note text not null,
  handled_at timestamptz(3) not null default records.now_(),
  primary key (merchant_id, mode, account_no, day, line)
);
