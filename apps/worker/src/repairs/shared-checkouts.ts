import { collectionKeyOf } from '#domain/collections';
import { type ClaimPlace, sharedCheckouts as findShared } from '#views/reviews';
import { type Repair } from './repairs.js';

const maxClaims = 1000;
/** Longer than a view, or a merchant's part of it, may stop updating. */
const lookedForMs = 7 * 86_400_000;

/**
 * Lists collections for review that got the same checkout id from the rail (RAIL-25). It finds those whose "paid" came
 * by a query before the view knew of the other collection, or by a callback without a receipt. It keeps its place
 * among the claims.
 */
export function sharedCheckouts(): Repair {
  let place: ClaimPlace | undefined;
  return {
    what: 'checkout',
    limit: 50,
    log: 'checkouts',
    msg: 'a shared checkout cannot be flagged',
    repaired: {
      name: 'checkouts_shared_flagged_total',
      help: 'Collections listed for review because the rail gave another one their checkout id, which was found out late',
    },
    async find({ limit, after }, { database }) {
      const look = { forMs: lookedForMs, after: place, claims: maxClaims };
      const shared = await findShared(database, look);
      const found = shared.streams.filter((stream) => stream > after).slice(0, limit);
      // A full page continues within the same claims.
      if (found.length < limit) ({ place } = shared);
      return found;
    },
    async repair(stream, { collections, worker }) {
      const key = collectionKeyOf(stream);
      if (!key || (await collections.wasFlagged(key, 'checkout_of_another'))) return 'unchanged';
      const done = await collections.flag(key, 'checkout_of_another', worker.metadata());
      return done === 'flagged'
        ? { kind: 'repaired', msg: 'a checkout id is another collection’s as well' }
        : 'unchanged';
    },
  };
}
