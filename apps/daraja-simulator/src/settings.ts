import { join } from 'node:path';
import { minorFromShillings } from './amount.js';

/** All settings of the simulator. Durations are milliseconds. */
export interface Settings {
  readonly host: string;
  /** 0 takes a free port; the log line "listening" names it. */
  readonly port: number;
  /** The time from an accepted push to the customer's action. */
  readonly delayMs: number;
  /** The time that the push to 254700000015 waits for its answer. */
  readonly slowAnswerMs: number;
  /** The directory of the journal. */
  readonly directory: string;
  readonly shortcode: string;
  readonly passkey: string;
  readonly consumerKey: string;
  readonly consumerSecret: string;
  /** The sender of payouts. */
  readonly b2cShortcode: string;
  readonly initiator: string;
  readonly securityCredential: string;
  /** The opening balance of the account that pays out, in cents. */
  readonly floatMinor: bigint;
  /** The host that callbacks connect to, for every name in their URL; undefined to connect to that name. */
  readonly callbackHost: string | undefined;
  /** Added to the machine's clock; may be negative. */
  readonly clockOffsetMs: number;
  readonly logLevel: string;
}

/** The form of amounts in settings. */
const shillings = /^\d{1,9}(?:\.\d{1,2})?$/;

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];
const unitMs = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Reads a duration as every setting writes it: `800ms`, `75s`, `5m`, `48h`, `30d`, or a bare `0`; undefined for anything else. */
function durationMs(text: string): number | undefined {
  if (text === '0') return 0;
  const match = /^(-?\d{1,12})(ms|s|m|h|d)$/.exec(text);
  if (match === null) return undefined;
  return Number(match[1]) * unitMs[match[2] as keyof typeof unitMs];
}

/**
 * Reads the settings once. An empty setting counts as not set. No other code reads the environment.
 * @returns the settings, or every problem found, one sentence each
 */
export function readSettings(
  given: Readonly<Record<string, string | undefined>>,
): { readonly settings: Settings } | { readonly problems: readonly string[] } {
  const problems: string[] = [];
  const environment = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ''));
  const text = (name: string, otherwise: string, rule: RegExp): string => {
    const value = environment[name] ?? otherwise;
    if (!rule.test(value)) problems.push(`${name} must match ${rule.source}`);
    return value;
  };
  const duration = (name: string, otherwise: string, allowed: (ms: number) => boolean): number => {
    const ms = durationMs(environment[name] ?? otherwise);
    if (ms !== undefined && allowed(ms)) return ms;
    problems.push(`${name} must be a duration such as 800ms, 75s, 5m, 48h or 30d`);
    return 0;
  };
  // A timer holds 2^31 milliseconds at most, and a day is far longer than any customer takes.
  const upToADay = (ms: number): boolean => ms >= 0 && ms <= unitMs.d;

  const settings: Settings = {
    host: text('SIMULATOR_HOST', '127.0.0.1', /^[0-9A-Za-z.:-]+$/),
    port: Number(text('SIMULATOR_PORT', '8099', /^\d{1,5}$/)),
    delayMs: duration('SIMULATOR_DELAY', '800ms', upToADay),
    slowAnswerMs: duration('SIMULATOR_SLOW_ANSWER', '20s', upToADay),
    directory:
      environment['SIMULATOR_DIR'] ?? join(environment['DATA_DIR'] ?? '.data', 'daraja-simulator'),
    shortcode: text('SIMULATOR_SHORTCODE', '174379', /^\d{5,7}$/),
    passkey: text('SIMULATOR_PASSKEY', 'simulator-passkey', /^\S+$/),
    consumerKey: text('SIMULATOR_CONSUMER_KEY', 'simulator-key', /^[^\s:]+$/),
    consumerSecret: text('SIMULATOR_CONSUMER_SECRET', 'simulator-secret', /^\S+$/),
    b2cShortcode: text('SIMULATOR_B2C_SHORTCODE', '600000', /^\d{5,8}$/),
    initiator: text('SIMULATOR_INITIATOR', 'simulator-initiator', /^\S+$/),
    securityCredential: text('SIMULATOR_SECURITY_CREDENTIAL', 'simulator-credential', /^\S+$/),
    floatMinor: minorFromShillings(text('SIMULATOR_FLOAT', '900000000', shillings)) ?? 0n,
    callbackHost: text('SIMULATOR_CALLBACK_HOST', '', /^[0-9A-Za-z.:-]*$/) || undefined,
    clockOffsetMs: duration('CLOCK_OFFSET', '0', Number.isSafeInteger),
    logLevel: environment['LOG_LEVEL'] ?? 'info',
  };
  if (settings.port > 65_535) problems.push('SIMULATOR_PORT must be at most 65535');
  if (!logLevels.includes(settings.logLevel))
    problems.push(`LOG_LEVEL must be one of ${logLevels.join(', ')}`);
  return problems.length > 0 ? { problems } : { settings };
}
