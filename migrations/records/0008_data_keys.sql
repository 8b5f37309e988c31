-- Keys under which evidence and the rail's bytes are sealed, one a month, wrapped by a master key: wrapping them anew
-- retires that key, and deleting one erases what it sealed. Nothing else is kept of them: back them up.
create table records.data_keys (
  id text primary key,
  -- The month from whose beginning it seals, YYYY-MM in UTC.
  period text not null,
  key_id text not null,
  ciphertext bytea not null,
  created_at timestamptz(3) not null default records.now_()
);

-- Which master key tokens of callback URLs were sealed under, and until when: for as long as one of them may be called
-- back, its key is needed.
create table records.token_keys (
  key_id text primary key,
  last_used_at timestamptz(3) not null
);
