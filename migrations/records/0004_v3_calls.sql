-- V3's use, counted in memory by each replica of the API and added here every second. Days are UTC.
-- The three tables go when V3 goes.

create table records.v3_calls (
  day date not null,
  -- '' for calls of nobody who proved who they are; '*' for merchants' calls of which there was no room to note whose.
  merchant_id text not null,
  route text not null,
  calls bigint not null,
  primary key (day, merchant_id, route)
);

-- SHA-1 checkout links whose hash was right, and those of them whose digits could move from inv to ttl.
create table records.v3_checkout_links (
  day date not null,
  merchant_id text not null,
  links bigint not null,
  movable bigint not null,
  primary key (day, merchant_id)
);

-- On which days somebody counted: a day without a row says nothing of V3's use.
create table records.v3_counted_days (
  day date primary key,
  first_at timestamptz(3) not null,
  last_at timestamptz(3) not null,
  -- Minutes of the day in which a replica counted, and the last one of them (0 to 1439).
  minutes integer not null,
  last_minute integer not null
);
