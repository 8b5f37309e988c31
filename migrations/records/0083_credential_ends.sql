-- The end of a credential as an operator set it last. Authentication reads it here until the views have its event.
create table records.credential_ends (
  credential_id text primary key,
  -- Null if the credential has no end any more.
  expires_at timestamptz(3),
  -- The revision, in the merchant's stream, of the end's event. Of two ends that are set at once, the one that the log
  -- has last stays, whichever process writes last.
  revision bigint not null,
  set_at timestamptz(3) not null default records.now_()
);
