import { type RecordedEvent } from '#domain/event-sourcing';
import { type Instant } from '#domain/kernel';
import { type DayHead } from './day-head.js';
import { type Posting } from './posting.js';

/** A head with its signature and its key. */
export interface SealedHead {
  /** The id of its event. */
  readonly id: string;
  readonly head: DayHead;
  /** Base64. */
  readonly signature: string;
  /** Base64 of the SubjectPublicKeyInfo. */
  readonly publicKey: string;
}

/** A leaf's place in the newest head's tree, and the path that proves it. */
export interface InclusionProof {
  readonly index: number;
  readonly treeSize: number;
  /** Lower-case hex, from the leaf upwards. */
  readonly path: readonly string[];
}

/** A posting and its place in the newest head's tree. */
export interface ProvedPosting {
  readonly position: bigint;
  readonly posting: Posting;
  /** Lower-case hex. */
  readonly leafHash: string;
  /** Undefined while no head includes it. */
  readonly inclusion: InclusionProof | undefined;
  /** The time when a head is expected to include it; undefined if one does. */
  readonly sealedBy: Instant | undefined;
}

/** All postings of a stream with their proofs against the newest head; `head` is undefined before the first. */
export interface ProofOfStream {
  readonly postings: readonly ProvedPosting[];
  readonly head: SealedHead | undefined;
}

/** The source of proofs of single postings. Each takes a few reads, whatever the length of history. */
export abstract class PostingProofs {
  /**
   * @param events all events of the stream
   * @throws DependencyUnavailable; ProofFails
   */
  abstract ofStream(events: readonly RecordedEvent[]): Promise<ProofOfStream>;
}

/** The trees lack a posting that they should contain. `audit check` reports the fault. */
export class ProofFails extends Error {
  override readonly name = 'ProofFails';
}

/** A leaf as an object of JSON. */
interface LeafObject extends Omit<Posting, 'revision' | 'legs' | 'merchantId'> {
  readonly merchantId: string;
  readonly revision: string;
  readonly legs: readonly { readonly account: string; readonly amountMinor: string }[];
}

/** Returns a leaf as a JSON object (AUD-2), whose canonical JSON is hashed. */
function leafObject(posting: Posting): LeafObject {
  const { merchantId } = posting;
  if (merchantId === undefined) throw new TypeError('a proof is given of an item of a merchant');
  return {
    ...posting,
    merchantId,
    revision: posting.revision.toString(),
    legs: posting.legs.map(({ account, amountMinor }) => ({
      account,
      amountMinor: amountMinor.toString(),
    })),
  };
}

/** A posting in the form that a checker reads (AUD-19). */
export function provedPostingObject({ posting, leafHash, inclusion, sealedBy }: ProvedPosting) {
  return {
    posting: leafObject(posting),
    leaf_hash: leafHash,
    proof: inclusion
      ? { index: inclusion.index, tree_size: inclusion.treeSize, path: inclusion.path }
      : null,
    ...(sealedBy === undefined ? {} : { sealed_by: sealedBy }),
  };
}

/** A head in the form that a checker reads: the signed content and its key (AUD-20). */
export function sealedHeadObject({ head, signature, publicKey }: SealedHead) {
  return { head, signature, public_key: publicKey };
}
