import { type LogLevel, logLevels } from './log-line.js';

/** All settings from outside. Durations are written `0`, `800ms`, `75s`, `5m`, `48h`, `30d`. */
export interface Settings {
  readonly directory: string;
  readonly host: string;
  readonly port: number;
  readonly tlsCertificateFile: string | undefined;
  readonly tlsKeyFile: string | undefined;
  readonly user: string | undefined;
  readonly ordinaryUser: string | undefined;
  readonly clockOffsetMs: number;
  readonly logLevel: LogLevel;
}

const UNIT_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

function parseDuration(text: string): number | undefined {
  if (text === '0') return 0;
  const [, sign, digits = '', unit = ''] = /^(-?)(\d{1,9})(ms|s|m|h|d)$/.exec(text) ?? [];
  const factor = UNIT_MS[unit];
  if (factor === undefined) return undefined;
  return Number(digits) * factor * (sign === '-' ? -1 : 1);
}

/** Returns the settings, or one sentence for each problem. */
export function parseSettings(
  env: Readonly<Record<string, string | undefined>>,
): { readonly settings: Settings } | { readonly problems: readonly string[] } {
  const problems: string[] = [];
  const text = (name: string) => (env[name] === '' ? undefined : env[name]);
  const directory = text('EMBEDDED_EVENTSTORE_DIR') ?? '.data/eventstore';
  const portText = text('EMBEDDED_EVENTSTORE_PORT') ?? '2113';
  const port = /^\d{1,5}$/.test(portText) ? Number(portText) : NaN;
  if (!(port <= 65535))
    problems.push('EMBEDDED_EVENTSTORE_PORT must be a port, or 0 for a free one');
  const tlsCertificateFile = text('EMBEDDED_EVENTSTORE_TLS_CERT_FILE');
  const tlsKeyFile = text('EMBEDDED_EVENTSTORE_TLS_KEY_FILE');
  if ((tlsCertificateFile === undefined) !== (tlsKeyFile === undefined)) {
    problems.push(
      'EMBEDDED_EVENTSTORE_TLS_CERT_FILE and EMBEDDED_EVENTSTORE_TLS_KEY_FILE go together',
    );
  }
  const user = text('EMBEDDED_EVENTSTORE_USER');
  if (user !== undefined && !/^[^:]+:.+$/.test(user)) {
    problems.push('EMBEDDED_EVENTSTORE_USER must be written name:password');
  }
  const ordinaryUser = text('EMBEDDED_EVENTSTORE_ORDINARY_USER');
  if (ordinaryUser !== undefined && (user === undefined || !/^[^:]+:.+$/.test(ordinaryUser))) {
    problems.push(
      'EMBEDDED_EVENTSTORE_ORDINARY_USER must be written name:password, beside EMBEDDED_EVENTSTORE_USER',
    );
  }
  const clockOffsetMs = parseDuration(text('CLOCK_OFFSET') ?? '0');
  if (clockOffsetMs === undefined) {
    problems.push('CLOCK_OFFSET must be a duration such as 0, 90s, 48h or 30d');
  }
  const level = text('LOG_LEVEL') ?? 'info';
  const logLevel = logLevels.find((known) => known === level);
  if (logLevel === undefined) problems.push(`LOG_LEVEL must be one of ${logLevels.join(', ')}`);
  if (problems.length > 0 || clockOffsetMs === undefined || logLevel === undefined) {
    return { problems };
  }
  const host = text('EMBEDDED_EVENTSTORE_HOST') ?? '127.0.0.1';
  return {
    settings: {
      directory,
      host,
      port,
      tlsCertificateFile,
      tlsKeyFile,
      user,
      ordinaryUser,
      clockOffsetMs,
      logLevel,
    },
  };
}
