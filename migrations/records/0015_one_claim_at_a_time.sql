-- Claims of the same reference by this release and by the one before wait for each other before they look for a row that
-- is there. Without it, one that names one unique index may meet the other's new row in the other index, which its
-- "on conflict" does not name, and fail (0012). The lock goes with the transaction, which is the one statement.
create or replace function records.name_rail_reference() returns trigger
language plpgsql
as $$
begin
  new.rail_reference := coalesce(new.rail_reference, new.checkout_id);
  if new.channel = 'mpesa' then
    new.checkout_id := new.rail_reference;
  end if;
  perform pg_advisory_xact_lock(
    hashtextextended(new.channel || ' ' || new.mode || ' ' || new.rail_reference, 0)
  );
  return new;
end
$$;
