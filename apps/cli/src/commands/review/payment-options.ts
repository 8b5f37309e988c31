import { type Instant, instantFromMs } from '#domain/kernel';
import { redactText } from '#infra/runtime';
import { InvalidArgumentError } from 'commander';
import { parseMinorAmount } from '../../options.js';

/** As the rail prints it, in capitals. @throws InvalidArgumentError; as all of these */
export function parseReceipt(text: string): string {
  const receipt = text.trim().toUpperCase();
  if (!/^[A-Z0-9]{6,20}$/.test(receipt))
    throw new InvalidArgumentError('must be 6 to 20 letters and digits, as NLJ7RT61SV');
  if (redactText(receipt) !== receipt)
    throw new InvalidArgumentError('must be no phone number: events are for ever');
  return receipt;
}

export function parseWholeAmount(text: string): bigint {
  const amount = parseMinorAmount(text);
  if (amount === 0n) throw new InvalidArgumentError('must be 1 or more');
  return amount;
}

/** The statement's times bear no zone, so it has to be said: M-Pesa's is +03:00. */
export function parsePaidAt(text: string): Instant {
  const hasZone = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)$/.test(text);
  const ms = hasZone ? Date.parse(text) : NaN;
  if (Number.isNaN(ms))
    throw new InvalidArgumentError('must be RFC 3339 with a zone, as 2026-11-20T10:15:00+03:00');
  return instantFromMs(ms);
}
