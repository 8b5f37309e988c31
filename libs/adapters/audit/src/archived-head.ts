import { type DayHead, headText } from '#domain/audit';
import { fingerprintOf, verifyHead } from '#shared/signing';
import { type ArchivedHead } from './heads.js';

const digits = /^(0|[1-9]\d{0,14})$/;
const hash = /^[0-9a-f]{64}$/;
const forms: Readonly<Record<keyof DayHead, RegExp>> = {
  date: /^\d{4}-\d\d-\d\d$/,
  timezone: /^[\w+/-]+$/,
  keyId: hash,
  treeSize: digits,
  root: hash,
  historySize: digits,
  historyRoot: hash,
  previousTreeSize: digits,
  previousRoot: hash,
};

/**
 * Reads a head from the output of `audit prove` or from a receipt: AUD-20, by itself or as the member `head`.
 * @returns undefined if the text is not a head, or if its signature does not verify with the key that it names
 */
export function readArchivedHead(text: string): ArchivedHead | undefined {
  const given = parsed(text);
  const sealed = membersOf(given)['signature'] === undefined ? membersOf(given)['head'] : given;
  const { head, signature, public_key: publicKey } = membersOf(sealed);
  if (!isHead(head) || typeof signature !== 'string' || typeof publicKey !== 'string')
    return undefined;
  if (fingerprintOf(publicKey) !== head.keyId) return undefined;
  return verifyHead(publicKey, headText(head), signature) ? { head } : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function isHead(value: unknown): value is DayHead {
  const members = membersOf(value);
  return Object.entries(forms).every(([name, form]) => {
    const member = members[name];
    return typeof member === 'string' && form.test(member);
  });
}
