import { type RecordedEvent } from '#domain/event-sourcing';
import { type Instant } from '#domain/kernel';
import { type DayHead } from './day-head.js';
import { type Posting } from './posting.js';

/** A head with what shows that it is the key's. */
export interface SealedHead {
  /** Of its event. */
  readonly id: string;
  readonly head: DayHead;
  /** Base64. */
  readonly signature: string;
  /** Base64 of the SubjectPublicKeyInfo. */
  readonly publicKey: string;
}

/** A leaf's place in the newest head's tree, and the path that shows it. */
export interface InclusionProof {
  readonly index: number;
  readonly treeSize: number;
  /** Lower-case hex, from the leaf upwards. */
  readonly path: readonly string[];
}

/** A posting, and where it stands in the newest head's tree. */
export interface ProvedPosting {
  readonly position: bigint;
  readonly posting: Posting;
  /** Lower-case hex. */
  readonly leafHash: string;
  /** Undefined while no head holds it. */
  readonly inclusion: InclusionProof | undefined;
  /** When a head is expected to hold it; undefined where one does. */
  readonly sealedBy: Instant | undefined;
}

/** All postings of a stream, against the newest head; `head` is undefined before the first. */
export interface ProofOfStream {
  readonly postings: readonly ProvedPosting[];
  readonly head: SealedHead | undefined;
}

/** Where proofs of single postings come from; each is a few reads, whatever the history. */
export abstract class PostingProofs {
  /** @param events all of the stream's @throws DependencyUnavailable; ProofFails */
  abstract ofStream(events: readonly RecordedEvent[]): Promise<ProofOfStream>;
}

/** The trees do not hold a posting that they should: `audit check` tells what is wrong. */
export class ProofFails extends Error {
  override readonly name = 'ProofFails';
}

/** A leaf as an object of JSON. */
interface LeafObject extends Omit<Posting, 'revision' | 'legs'> {
  readonly revision: string;
  readonly legs: readonly { readonly account: string; readonly amountMinor: string }[];
}

/** A leaf as an object of JSON (AUD-2): its canonical JSON is what is hashed. */
function leafObject(posting: Posting): LeafObject {
  return {
    ...posting,
    revision: posting.revision.toString(),
    legs: posting.legs.map(({ account, amountMinor }) => ({
      account,
      amountMinor: amountMinor.toString(),
    })),
  };
}

/** A posting as a checker takes it (AUD-19). */
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

/** A head as a checker takes it: what is signed, and by whom (AUD-20). */
export function sealedHeadObject({ head, signature, publicKey }: SealedHead) {
  return { head, signature, public_key: publicKey };
}
