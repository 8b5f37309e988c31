import { ok, refuse, type Result } from '#domain/kernel';
import { type DayHead, type DaySealed, headOf, headText, type Sealed } from '../day-head.js';
import { provesConsistency } from '../merkle.js';
import { type Sha256 } from '../posting.js';
import { fromHex } from '../stored-log.js';

/** Signs heads, and hashes their trees. */
export abstract class HeadSigner {
  abstract readonly sha256: Sha256;
  /** The fingerprint of the public key. */
  abstract readonly keyId: string;
  /** Base64 of the SubjectPublicKeyInfo. */
  abstract readonly publicKey: string;
  /** @returns base64 of the Ed25519 signature over the text's UTF-8 bytes */
  abstract sign(text: string): string;
}

/** The day to seal. */
export interface DayToSeal extends Omit<DayHead, 'keyId' | 'previousTreeSize' | 'previousRoot'> {
  /** These prove that both trees begin with those of the previous head; lower-case hex. */
  readonly consistency: readonly string[];
  readonly historyConsistency: readonly string[];
}

/**
 * `history_changed`: this history no longer contains the sealed part, so nothing is signed. `key_replaced`: another key
 * came into use after this one, so a head by this one would be a permanent fault (AUD-22).
 */
export type SealDayRefusal = 'already_sealed' | 'history_changed' | 'key_replaced';

export function decideSealDay(
  day: DayToSeal,
  { last, keyIds }: Sealed,
  signer: HeadSigner,
): Result<readonly DaySealed[], SealDayRefusal> {
  if (last && day.date <= last.date) return refuse('already_sealed');
  if (keyIds.includes(signer.keyId) && keyIds.at(-1) !== signer.keyId)
    return refuse('key_replaced');
  if (last && !continues(day, last, signer.sha256)) return refuse('history_changed');
  const { consistency: _tree, historyConsistency: _history, ...facts } = day;
  const { keyId, publicKey } = signer;
  const unsigned = { ...facts, keyId, publicKey };
  const signature = signer.sign(headText(headOf({ ...unsigned, signature: '' }, last)));
  return ok([{ type: 'DaySealed', data: { ...unsigned, signature } }]);
}

function continues(day: DayToSeal, last: DayHead, sha256: Sha256): boolean {
  const head = (size: string, root: string) => ({ size: toSize(size), root: fromHex(root) });
  const trees = [
    [last.treeSize, last.root, day.treeSize, day.root, day.consistency],
    [last.historySize, last.historyRoot, day.historySize, day.historyRoot, day.historyConsistency],
  ] as const;
  return trees.every(([oldSize, oldRoot, size, root, path]) =>
    provesConsistency(sha256, head(oldSize, oldRoot), head(size, root), path.map(fromHex)),
  );
}

/** @throws RangeError if the text is not a size */
export function toSize(digits: string): number {
  if (!/^(0|[1-9]\d{0,15})$/.test(digits)) throw new RangeError('not the size of a tree');
  return parseInt(digits, 10);
}
