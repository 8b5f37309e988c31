import { createPrivateKey } from 'node:crypto';
import { z } from 'zod';
import { isAddressRange, notARange, plainRange } from './address-range.js';
import { parseCrashAt, parseDurationMs, parseMasterKeys, parseRate } from './settings-values.js';
import { readEventStoreUrl } from './event-store-url.js';
import { readRedisUrl } from './redis-url.js';
import { unsafeRules } from './unsafe-settings.js';

/** Readers of each kind of setting from text. Every complaint says what is wanted. */
export const wholeNumber = (least: number, max: number) =>
  z.string().transform((text, context) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= least && value <= max) return value;
    context.addIssue(`"${text}" must be a whole number from ${least} to ${max}`);
    return z.NEVER;
  });

export const port = wholeNumber(0, 65_535);

export const durationMs = ({ negative = false, least = 0 } = {}) =>
  z.string().transform((text, context) => {
    const ms = parseDurationMs(text);
    if (ms !== undefined && (negative || ms >= least)) return ms;
    context.addIssue(
      `"${text}" must be a duration${least > 0 ? ` of at least ${least}ms` : ''}, such as 800ms, 75s, 5m, 48h or 30d`,
    );
    return z.NEVER;
  });

export const durationsMs = z.string().transform((text, context) => {
  const all = text.split(',').map((part) => parseDurationMs(part.trim()));
  const rising = all.every((ms, index) => ms !== undefined && ms > 0 && ms > (all[index - 1] ?? 0));
  if (rising) return all as number[];
  context.addIssue(`"${text}" must be rising durations joined by commas, such as 75s,3m,10m`);
  return z.NEVER;
});

export const rate = z.string().transform((text, context) => {
  const value = parseRate(text);
  if (value) return value;
  context.addIssue(`"${text}" must be a rate such as 100/s, 60/m or "100/s burst 200"`);
  return z.NEVER;
});

export const addressRanges = z.string().transform((text, context) => {
  const ranges = text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  const wrong = ranges.find((range) => !isAddressRange(range));
  if (wrong === undefined) return ranges.map(plainRange);
  context.addIssue(`"${wrong}" ${notARange}; several are joined by commas (10.0.0.0/8,::1)`);
  return z.NEVER;
});

/** `acr` values, as an issuer names them: text without space or comma. */
export const acrValues = z.string().transform((text) => text.split(/[\s,]+/).filter(Boolean));

/** URLs may contain passwords, so a complaint does not repeat them. */
export const url = (protocols: readonly string[]) =>
  z.string().transform((text, context) => {
    const parsed = URL.canParse(text) ? new URL(text) : undefined;
    if (parsed && protocols.includes(parsed.protocol)) return text;
    context.addIssue(
      `must be a URL that begins with ${protocols.map((p) => `${p}//`).join(' or ')}`,
    );
    return z.NEVER;
  });

/** One Redis, or Sentinels that name the primary. */
export const redisUrl = z.string().transform((text, context) => {
  const read = readRedisUrl(text);
  if (!('problem' in read)) return text;
  context.addIssue(read.problem);
  return z.NEVER;
});

/** An issuer of identities: a person's id follows its `#`, and its standard allows neither query nor user. */
export const issuer = url(['http:', 'https:']).transform((text, context) => {
  const { username, search } = new URL(text);
  if (username === '' && search === '' && !/[#?]/.test(text)) return text;
  context.addIssue('must be an address without user, query and fragment, as https://id.example');
  return z.NEVER;
});

/** The URL to which messages are posted. A URL with a password cannot be used, and the failure would print all of it. */
export const hook = url(['http:', 'https:']).transform((text, context) => {
  const { username, password } = new URL(text);
  if (username === '' && password === '') return text;
  context.addIssue('must be an address without user and password');
  return z.NEVER;
});

const mailbox = /^[^\s@,<>]+@[^\s@,<>]+$/;

/** A mail server, with the sender and the recipients in its query. */
export const mailServer = url(['smtp:', 'smtps:']).transform((text, context) => {
  const { hostname, searchParams } = new URL(text);
  const [from, to] = [searchParams.get('from') ?? '', searchParams.get('to') ?? ''];
  if (hostname !== '' && [from, ...to.split(',')].every((address) => mailbox.test(address)))
    return text;
  context.addIssue(
    'must name the server, one sender and the receivers: smtps://user:password@mail.example:465?from=pesapost@example.org&to=a@example.org,b@example.org',
  );
  return z.NEVER;
});

/** The form for the client, under either of the product's names. */
export const eventStoreUrl = z.string().transform((text, context) => {
  const read = readEventStoreUrl(text);
  if (!('problem' in read)) return read.connectionString;
  context.addIssue(read.problem);
  return z.NEVER;
});

/** An http origin with an optional path; the trailing slash is dropped so that paths can be appended. */
export const httpUrl = url(['http:', 'https:']).transform((text) => text.replace(/\/+$/, ''));

/** Scheme, host and port only. */
export const origin = url(['http:', 'https:']).transform((text, context) => {
  const { origin: value, pathname, search, hash, username } = new URL(text);
  if (pathname === '/' && search === '' && hash === '' && username === '') return value;
  context.addIssue('must be scheme and host alone, such as https://pay.example');
  return z.NEVER;
});

export const masterKeys = z.string().transform((text, context) => {
  const keys = parseMasterKeys(text);
  if (!('problem' in keys)) return keys;
  context.addIssue(`${keys.problem}; make one with: echo "k1:$(openssl rand -base64 32)"`);
  return z.NEVER;
});

export const unsafeRuleList = z.string().transform((text, context) => {
  const names = text.split(',').map((part) => part.trim());
  const rules = unsafeRules.filter((rule) => names.includes(rule));
  if (rules.length === new Set(names).size) return rules;
  context.addIssue(`must be rules joined by commas, of ${unsafeRules.join(', ')}`);
  return z.NEVER;
});

export const onOff = z.string().transform((text, context) => {
  if (['on', 'true', '1'].includes(text)) return true;
  if (['off', 'false', '0'].includes(text)) return false;
  context.addIssue(`"${text}" must be on or off`);
  return z.NEVER;
});

export const crashAt = z.string().transform((text, context) => {
  const value = parseCrashAt(text);
  if (value) return value;
  context.addIssue(
    `"${text}" must be trace, or a crash point such as postgres:commit:after or redis:set:before#2`,
  );
  return z.NEVER;
});

export const calendarDate = z.string().transform((text, context) => {
  if (/^\d{4}-\d{2}-\d{2}$/.test(text)) {
    const date = new Date(`${text}T00:00:00Z`);
    if (!Number.isNaN(date.getTime()) && date.toISOString().startsWith(text)) return text;
  }
  context.addIssue(`"${text}" must be a date written YYYY-MM-DD`);
  return z.NEVER;
});

/** The complaint repeats nothing of the text: it is a secret. */
export const sealKey = z.string().transform((text, context) => {
  if (isEd25519(text)) return text;
  context.addIssue(
    'must be an Ed25519 private key in PEM; make one with: openssl genpkey -algorithm ed25519',
  );
  return z.NEVER;
});

function isEd25519(pem: string): boolean {
  try {
    return createPrivateKey(pem).asymmetricKeyType === 'ed25519';
  } catch {
    return false;
  }
}

export const timezone = z.string().transform((text, context) => {
  try {
    // An offset is no zone: it has no summer time.
    if (/^[A-Za-z]/.test(text)) {
      new Intl.DateTimeFormat('en', { timeZone: text });
      return text;
    }
  } catch {
    // The complaint below covers it.
  }
  context.addIssue(`"${text}" must be an IANA time zone, such as Africa/Nairobi`);
  return z.NEVER;
});

export const nonEmpty = z.string();

const servers = ['eventstore', 'postgres', 'redis'];

export const embeddedServers = z.string().transform((text, context) => {
  const names = text === '' ? [] : text.split(',').map((name) => name.trim());
  if (names.every((name) => servers.includes(name))) return names;
  context.addIssue(`"${text}" must be names of ${servers.join(', ')}, joined by commas`);
  return z.NEVER;
});
