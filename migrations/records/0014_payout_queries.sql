-- What a report about a payout is for, as its token has it; null for collections' callbacks.
alter table records.callback_inbox add column purpose text;

-- When the rail is asked about a payout that it may have been sent; a row goes when the payout is final.
create table records.payout_queries (
  stream text primary key,
  asked integer not null,
  asked_at timestamptz(3),
  due_at timestamptz(3) not null,
  -- The last question that was answered, and what the answer was.
  answered integer,
  answer text
);
