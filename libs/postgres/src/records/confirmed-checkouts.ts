import { type Mode } from '#kernel';
import { type Queryable } from '../database.js';

// The update that changes nothing makes the statement return the row that was there.
const claim = {
  name: 'confirmed-checkout-claim',
  text: `
    insert into records.confirmed_checkouts as checkout (mode, checkout_id, stream) values ($1, $2, $3)
    on conflict (mode, checkout_id) do update set stream = checkout.stream
    returning stream`,
};

/**
 * Claims a checkout id for the collection that it is about to confirm. The same stream may ask again.
 * @returns the stream that has it: another than the one given means that nothing may be posted
 */
export async function claimCheckout(
  database: Queryable,
  checkout: { readonly mode: Mode; readonly checkoutId: string; readonly stream: string },
): Promise<{ readonly kind: 'claimed' } | { readonly kind: 'taken'; readonly stream: string }> {
  const { mode, checkoutId, stream } = checkout;
  const [row] = await database.query<{ stream: string }>(claim, [mode, checkoutId, stream]);
  if (!row) throw new Error('the claim of a checkout id gave no row');
  return row.stream === stream ? { kind: 'claimed' } : { kind: 'taken', stream: row.stream };
}
