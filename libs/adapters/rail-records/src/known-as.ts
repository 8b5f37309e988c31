import { openSubscriberSeal } from '#records/keys';
import { CheckoutIds } from '#edges/rail-mpesa';
import { type Queryable } from '#infra/postgres';
import { type Keyring } from '#shared/signing';
import { type KnownAs } from '#desk/operators';

/** Opens the key only for an identifier that holds a number. All others are found even if the key cannot be opened. */
export function knownAs(database: Queryable, keyring: Keyring): KnownAs {
  let opened: Promise<CheckoutIds> | undefined;
  const open = async () => new CheckoutIds(await openSubscriberSeal(database, keyring));
  return async (railId) => {
    if (!CheckoutIds.holdsNumber(railId)) return railId;
    opened ??= open();
    opened.catch(() => (opened = undefined));
    return (await opened).referenceOf(railId);
  };
}
