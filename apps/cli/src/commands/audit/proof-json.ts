import { type DayHead, leafObject, type ProvedPosting, type SealedHead } from '#domain/audit';

/** A head as it is signed (AUD-15). */
export function headJson(head: DayHead): object {
  return { ...head };
}

/** A head as a checker takes it: what is signed, and by whom (AUD-20). */
export function sealedHeadJson({ head, signature, publicKey }: SealedHead): object {
  return { head: headJson(head), signature, public_key: publicKey };
}

/** A posting as a checker takes it (AUD-19). */
export function postingJson({ posting, leafHash, inclusion, sealedBy }: ProvedPosting): object {
  return {
    posting: leafObject(posting),
    leaf_hash: leafHash,
    proof: inclusion
      ? { index: inclusion.index, tree_size: inclusion.treeSize, path: inclusion.path }
      : null,
    ...(sealedBy === undefined ? {} : { sealed_by: sealedBy }),
  };
}

/** The public half of a key that signs heads. */
export function publicPem(publicKey: string): string {
  const lines = publicKey.match(/.{1,64}/g) ?? [];
  return ['-----BEGIN PUBLIC KEY-----', ...lines, '-----END PUBLIC KEY-----', ''].join('\n');
}
