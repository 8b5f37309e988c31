-- The ends of credentials, which authentication reads (docs/reference/authentication.md, AUTH-36). The command that sets an
-- end writes it at once, and the projector from its event.
create table records.credential_ends (
  credential_id text primary key,
  -- Null if the credential has no end any more.
  expires_at timestamptz(3),
  -- The revision of the event in the merchant's stream: whichever process writes last, the later event stays.
  revision bigint not null,
  set_at timestamptz(3) not null default records.now_()
);
