import { join } from 'node:path';
import { minorFromShillings } from './amount.js';

/** The settings that every simulator has. Durations are milliseconds. */
export interface CommonSettings {
  readonly host: string;
  /** 0 takes a free port; the log line "listening" names it. */
  readonly port: number;
  /** The time from an accepted request to the customer's action. */
  readonly delayMs: number;
  /** The time that a late answer waits. */
  readonly slowAnswerMs: number;
  /** The directory of the journal. */
  readonly directory: string;
  /** The opening balance of the account that pays out, in cents. */
  readonly floatMinor: bigint;
  /** The host that callbacks connect to, for every name in their URL; undefined to connect to that name. */
  readonly callbackHost: string | undefined;
  /** Added to the machine's clock; may be negative. */
  readonly clockOffsetMs: number;
  readonly logLevel: string;
}

/** The settings, or every problem found, one sentence each. */
export type ReadSettings<Settings> =
  { readonly settings: Settings } | { readonly problems: readonly string[] };

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

/** Reads the settings once, and gathers their problems. An empty setting counts as not set. */
export class SettingsReader {
  private readonly problems: string[] = [];
  private readonly environment: Readonly<Record<string, string | undefined>>;

  constructor(given: Readonly<Record<string, string | undefined>>) {
    this.environment = Object.fromEntries(
      Object.entries(given).filter(([, value]) => value !== ''),
    );
  }

  text(name: string, otherwise: string, rule: RegExp): string {
    const value = this.environment[name] ?? otherwise;
    if (!rule.test(value)) this.problems.push(`${name} must match ${rule.source}`);
    return value;
  }

  /**
   * @param own the setting of the port with its default, the setting of the directory, and the directory in DATA_DIR
   * that is its default
   */
  common(own: {
    readonly port: readonly [name: string, otherwise: string];
    readonly directory: readonly [name: string, folder: string];
  }): CommonSettings {
    const [portName, port] = own.port;
    const [directoryName, folder] = own.directory;
    // A timer holds 2^31 milliseconds at most, and a day is far longer than any customer takes.
    const upToADay = (ms: number): boolean => ms >= 0 && ms <= unitMs.d;
    const settings: CommonSettings = {
      host: this.text('SIMULATOR_HOST', '127.0.0.1', /^[0-9A-Za-z.:-]+$/),
      port: Number(this.text(portName, port, /^\d{1,5}$/)),
      delayMs: this.duration('SIMULATOR_DELAY', '800ms', upToADay),
      slowAnswerMs: this.duration('SIMULATOR_SLOW_ANSWER', '20s', upToADay),
      directory:
        this.environment[directoryName] ?? join(this.environment['DATA_DIR'] ?? '.data', folder),
      floatMinor: minorFromShillings(this.text('SIMULATOR_FLOAT', '900000000', shillings)) ?? 0n,
      callbackHost: this.text('SIMULATOR_CALLBACK_HOST', '', /^[0-9A-Za-z.:-]*$/) || undefined,
      clockOffsetMs: this.duration('CLOCK_OFFSET', '0', Number.isSafeInteger),
      logLevel: this.environment['LOG_LEVEL'] ?? 'info',
    };
    if (settings.port > 65_535) this.problems.push(`${portName} must be at most 65535`);
    if (!logLevels.includes(settings.logLevel))
      this.problems.push(`LOG_LEVEL must be one of ${logLevels.join(', ')}`);
    return settings;
  }

  result<Settings>(settings: Settings): ReadSettings<Settings> {
    return this.problems.length > 0 ? { problems: this.problems } : { settings };
  }

  private duration(name: string, otherwise: string, allowed: (ms: number) => boolean): number {
    const ms = durationMs(this.environment[name] ?? otherwise);
    if (ms !== undefined && allowed(ms)) return ms;
    this.problems.push(`${name} must be a duration such as 800ms, 75s, 5m, 48h or 30d`);
    return 0;
  }
}
