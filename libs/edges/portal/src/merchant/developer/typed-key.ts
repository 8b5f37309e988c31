import { ok, refuse, type Result } from '#domain/kernel';
import { type InspectedKey } from '#domain/merchants';
import { personOf } from '#domain/people';
import { readForEver, type TypedWrong } from '#desk/operators';
import { isAddressRange, plainRange } from '#infra/runtime';
import { minKeyBits, parsePublicKey } from '#shared/signing';

/** The most ranges of one credential that a form sets. */
const maxRanges = 100;

export type KeyWrong = 'not_an_rsa_public_key' | 'rsa_key_too_small' | 'rsa_key_too_large';

/** Reads a V4 key by the rules of its registration; a browser sends its lines with CR LF. */
export function readKey(text: string): Result<InspectedKey, KeyWrong> {
  const pem = `${text.replaceAll('\r\n', '\n').trim()}\n`;
  const key = parsePublicKey(pem, minKeyBits);
  return key.ok ? ok({ pem, fingerprint: key.value.fingerprint }) : key;
}

/** Reads addresses and CIDR ranges, between commas, spaces or line ends. */
export function readIps(text: string): Result<readonly string[], 'not_ips'> {
  const ranges = text.split(/[\s,]+/).filter((range) => range !== '');
  const isFit = ranges.length > 0 && ranges.length <= maxRanges && ranges.every(isAddressRange);
  return isFit ? ok(ranges.map(plainRange)) : refuse('not_ips');
}

/** Reads a holder. A person's id is refused, because the caller would pass for the person (PEO-8). */
export function readHolder(text: string): Result<string, 'holder_form' | 'words_hold_phone'> {
  const holder = readForEver(text);
  if (!holder.ok) return refuse(wrongOf(holder.refusal));
  return personOf(holder.value) === undefined ? holder : refuse('holder_form');
}

function wrongOf(wrong: TypedWrong): 'holder_form' | 'words_hold_phone' {
  return wrong === 'words_hold_phone' ? wrong : 'holder_form';
}
