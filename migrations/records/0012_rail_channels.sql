-- Which rail called back. What is there is M-Pesa's, and so is what a replica of an older release adds.
alter table records.callback_inbox add column channel text not null default 'mpesa';

-- Two rails may give the same reference, so the key becomes (channel, mode, rail_reference). Replicas of an older release
-- go on: they know checkout_id alone, which stays unique (null for other rails than M-Pesa), and the trigger gives each
-- side what the other one wrote. checkout_id, its index and the trigger go with a later release.
alter table records.confirmed_checkouts
  add column channel text not null default 'mpesa',
  add column rail_reference text;
update records.confirmed_checkouts set rail_reference = checkout_id;
-- Before the new key: a claim enters the older index first. There an older release sees whom it meets, as its
-- "on conflict" names that index; who goes by the new key gets a unique violation, and tries again.
create unique index confirmed_checkouts_by_checkout on records.confirmed_checkouts (mode, checkout_id);
alter table records.confirmed_checkouts drop constraint confirmed_checkouts_pkey;
alter table records.confirmed_checkouts
  alter column checkout_id drop not null,
  add primary key (channel, mode, rail_reference);

create function records.name_rail_reference() returns trigger
language plpgsql
as $$
begin
  new.rail_reference := coalesce(new.rail_reference, new.checkout_id);
  if new.channel = 'mpesa' then
    new.checkout_id := new.rail_reference;
  end if;
  return new;
end
$$;
create trigger name_rail_reference before insert on records.confirmed_checkouts
  for each row execute function records.name_rail_reference();
