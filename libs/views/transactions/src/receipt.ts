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

/** An item, its postings, and the proof that they are in the history (AUD-24), as sent to clients. */
export type ItemReceipt = Awaited<ReturnType<typeof readReceipt>>;

/**
 * Reads a receipt from the log, the heads and the ledger's chains.
 * @param events all events of the item
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
    /** The newest head; null before the first day is sealed. */
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
