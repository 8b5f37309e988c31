import {
  type PostingProofs,
  type ProvedPosting,
  provedPostingObject,
  sealedHeadObject,
} from '#domain/audit';
import { type RecordedEvent } from '#domain/event-sourcing';
import { type Queryable } from '#infra/postgres';
import { findLinks, type LegLink } from '#views/balances';
import { type TransactionItem } from './fields.js';

/** An item, its postings, and what shows that they stand in history (AUD-24): as it is on the wire. */
export type ItemReceipt = Awaited<ReturnType<typeof readReceipt>>;

/**
 * From the log, the heads and the ledger's chains.
 * @param events all of the item's
 * @throws DependencyUnavailable, ProofFails
 */
export async function readReceipt(
  { proofs, database }: { readonly proofs: PostingProofs; readonly database: Queryable },
  events: readonly RecordedEvent[],
  item: TransactionItem,
) {
  const proof = await proofs.ofStream(events);
  const positions = proof.postings.map(({ position }) => position);
  const links = await findLinks(database, positions);
  return {
    item,
    postings: proof.postings.map((proved) =>
      postingBody(
        proved,
        links.filter(({ position }) => position === proved.position),
      ),
    ),
    /** The newest; null before the first day is sealed. */
    head: proof.head ? sealedHeadObject(proof.head) : null,
  };
}

function postingBody(proved: ProvedPosting, links: readonly LegLink[]) {
  const { posting, leaf_hash, ...rest } = provedPostingObject(proved);
  return {
    posting,
    leaf_hash,
    links: links.map(({ account, amountMinor, previous, link }) => ({
      account,
      amount_minor: amountMinor,
      previous,
      link,
    })),
    ...rest,
  };
}
