import { isCalendarDay, isMode, type Mode, type Result } from '#domain/kernel';
import { type Leg } from '#domain/ledger';
import { ianaTimeZone, canonicalHost } from '#domain/merchants';
import { personOf } from '#domain/people';
import { isAddressRange, notARange, parseRate, plainRange } from '#infra/runtime';
import {
  isEndForm,
  readCorrectionId,
  readForEver,
  readLeg,
  readMinorAmount,
  readPaidAt,
  readReceipt,
  readWholeAmount,
  type TypedWrong,
} from '#desk/operators';
import { endWrong } from './credential-end.js';
import { typedWrong } from './desk/typed-wrong.js';
import { InvalidArgumentError, Option } from 'commander';

export const modeOption = new Option('--mode <mode>', 'live or demo; their data are kept apart')
  .argParser(parseMode)
  .makeOptionMandatory();

export const merchantOption = new Option(
  '--merchant <id>',
  'the merchant’s id',
).makeOptionMandatory();

/** @throws InvalidArgumentError, as all of these do; commander shows it with the option's name */
export function parseMode(text: string): Mode {
  if (!isMode(text)) throw new InvalidArgumentError('must be live or demo');
  return text;
}

export function parseDay(text: string): string {
  if (!isCalendarDay(text)) throw new InvalidArgumentError('must be a day, as 2026-11-21');
  return text;
}

/** The end of a credential. Only the service's clock shows if it is in the past (`endAt`). */
export function parseEnd(text: string): string {
  if (!isEndForm(text)) throw new InvalidArgumentError(endWrong.end_form);
  return text;
}

/** The new end of a credential, or `none` to remove it. */
export function parseEndOrNone(text: string): string {
  if (text !== 'none' && !isEndForm(text))
    throw new InvalidArgumentError(`${endWrong.end_form}; none removes the end`);
  return text;
}

/** A text for an event. History is for ever, so it names no customer. */
export const parseForEver = parser(readForEver);
/** The receipt as the rail prints it, in capitals. */
export const parseReceipt = parser(readReceipt);
export const parseMinorAmount = parser(readMinorAmount);
export const parseWholeAmount = parser(readWholeAmount);
/** The statement's times have no zone, so it must be given: M-Pesa's is +03:00. */
export const parsePaidAt = parser(readPaidAt);
export const parseCorrectionId = parser(readCorrectionId);

/** An account and whole minor units, as in `wallet:1000000001=-9850`; a credit is positive. */
export function parseLeg(text: string, before: readonly Leg[] = []): readonly Leg[] {
  return [...before, parser(readLeg)(text)];
}

function parser<Value>(read: (text: string) => Result<Value, TypedWrong>): (text: string) => Value {
  return (text) => {
    const typed = read(text);
    if (!typed.ok) throw new InvalidArgumentError(typedWrong[typed.refusal]);
    return typed.value;
  };
}

export function parseCurrency(text: string): string {
  if (!/^[A-Z]{3}$/.test(text)) throw new InvalidArgumentError('must be an ISO 4217 code, as KES');
  return text;
}

export function parseRanges(text: string): readonly string[] {
  const ranges = text.split(',').map((range) => range.trim());
  const bad = ranges.find((range) => !isAddressRange(range));
  if (bad !== undefined) throw new InvalidArgumentError(`${bad} ${notARange}`);
  return ranges.map(plainRange);
}

export function parseRateText(text: string): string {
  if (!parseRate(text)) throw new InvalidArgumentError('must read as 100/s or 100/s burst 200');
  return text;
}

/** A typed name of a person who acts. It never has the form of a person's id, because such a person signs in (PEO-40). */
export function parseTypedName(text: string): string {
  const name = parseForEver(text);
  if (!/^https?:.*#/i.test(name.normalize('NFKC').replace(/\s+/g, ''))) return name;
  throw new InvalidArgumentError('must be no person’s id: a person signs in (npx pesapost login)');
}

/**
 * The holder of a credential. A person's id is refused: people are bound to holders, and a credential's caller would
 * pass for the person (PEO-8).
 */
export function parseHolder(text: string): string {
  const holder = parseForEver(text);
  if (personOf(holder) === undefined) return holder;
  throw new InvalidArgumentError(
    'must be no person’s id: name the holder, and bind it with holder bind',
  );
}

/** A consumer key, of characters that a header carries unchanged. */
export function parseName(text: string): string {
  if (!/^[\x21-\x7e]{8,128}$/.test(text))
    throw new InvalidArgumentError('must be 8 to 128 visible ASCII characters');
  return text;
}

export function parseVid(text: string): string {
  if (!/^[A-Za-z0-9_-]{1,32}$/.test(text))
    throw new InvalidArgumentError('must be 1 to 32 letters, digits, - or _');
  return text;
}

export function parseHosts(text: string): readonly string[] {
  return text
    .split(',')
    .filter((part) => part.trim() !== '')
    .map((part) => {
      const host = canonicalHost(part.trim());
      if (host === undefined)
        throw new InvalidArgumentError(
          `${part.trim()} is no bare host, as shop.example or [2001:db8::7]`,
        );
      return host;
    });
}

export function parseTimezone(text: string): string {
  const zone = ianaTimeZone(text);
  if (zone === undefined)
    throw new InvalidArgumentError(
      'must be an IANA time zone, as Africa/Nairobi; an offset is none',
    );
  return zone;
}

export function parseCountry(text: string): string {
  if (!/^[A-Z]{2}$/.test(text)) throw new InvalidArgumentError('must be an ISO 3166 code, as KE');
  return text;
}

export function parseCount(text: string): number {
  if (!/^(0|[1-9]\d{0,5})$/.test(text))
    throw new InvalidArgumentError('must be a whole number from 0 to 999999');
  return Number(text);
}

export function parseBasisPoints(text: string): number {
  if (!/^(0|[1-9]\d{0,3}|10000)$/.test(text))
    throw new InvalidArgumentError('must be a whole number from 0 to 10000');
  return Number(text);
}
