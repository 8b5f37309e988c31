import { types } from 'node:util';
import { type Writable } from 'node:stream';
import { type DestinationStream, type Logger as PinoLogger, pino } from 'pino';
import { buildOf } from './build.js';
import { maskedReference } from './masked-reference.js';
import { type LogLevel } from './settings.js';

/**
 * True for an error of any realm: Node's own errors are no `instanceof Error` if a program runs in a context of its
 * own, as under jest.
 */
export function isError(value: unknown): value is Error {
  return value instanceof Error || Object.prototype.toString.call(value) === '[object Error]';
}

/** Names of members with secrets and personal data; a log line never contains their values. */
const secretName =
  /^(authorization|cookie|set-cookie|password|passwd|passkey|securitycredential|phone|phonenumber|msisdn|mobilenumber|tel|partya|partyb|body|rawbody|x-pp-signature|signature|hsh|hash|nonce|x-pp-nonce|access_?token|client_?secret|consumer_?(key|secret)|private_?key(_?pem)?|master_?keys?|checkout_?secret|webhook_?secret|secret|token|databaseurl|redisurl|eventstoreurl)$/i;

/**
 * A Kenyan mobile number in any usual form: in one piece, in groups (0712 345 678, +254-712-345678, 071 234 5678), and
 * with the plus of a URL (%2B254…).
 */
const phoneNumber =
  /(?:(?<![0-9A-Za-z])|(?<=%[0-9A-Fa-f]{2}))(?:\+|00)?(254|0)[ .-]?([17])(?:\d{5}[ .-]?|\d{2}[ .-]\d{3}[ .-]?|\d[ .-]\d{3}[ .-]\d)(\d{3})(?![0-9A-Za-z])/g;
/** The number at the end of a rail's id, after day and time: `ws_CO_230920262019337708374149`. */
const numberInRailId = /(?<=\d{14})([17])\d{5}(\d{3})(?!\d)/g;
/** The name of a stream that ends in a merchant's reference, such as `collection-live:<merchantId>:<reference>`. */
const referenceStream = /\b((?:collection|payout)-(?:live|demo):[^\s:]+:)([\w./:~-]+)/g;
/** The password in a URL. */
const urlPassword = /(\/\/[^/\s:@]*:)[^/\s@]+@/g;

const redacted = '[redacted]';
const deepest = 6;

/** Returns the text without phone numbers, those in streams' references included, and without passwords of URLs. */
export function redactText(text: string): string {
  return text
    .replace(phoneNumber, '$1$2*****$3')
    .replace(numberInRailId, '$1*****$2')
    .replace(
      referenceStream,
      (_, place: string, reference: string) => place + maskedReference(reference),
    )
    .replace(urlPassword, `$1${redacted}@`);
}

/**
 * Members of a line that this service makes itself: ids, codes, durations, patterns of routes. They are written
 * unchanged, since they cannot contain a secret. Text that others sent must first go through `redactText`.
 */
export class OwnMembers {
  constructor(readonly members: Readonly<Record<string, string | number | undefined>>) {}
}

/**
 * Returns the loggable form of `value`: members with a secret's name are replaced, phone numbers in texts masked,
 * errors written out with their causes, bytes and deep levels left out.
 */
function redact(value: unknown, depth = 0): unknown {
  if (value instanceof OwnMembers) return value.members;
  if (typeof value === 'string') return redactText(value);
  if (typeof value === 'bigint') return redactText(value.toString());
  if (typeof value === 'number')
    return Number.isSafeInteger(value) && redactText(String(value)) !== String(value)
      ? redacted
      : value;
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= deepest) return '[deep]';
  if (isError(value)) return redactError(value, depth);
  if (types.isDate(value)) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (Array.isArray(value)) return value.slice(0, 100).map((item) => redact(item, depth + 1));
  if (types.isMap(value) || types.isSet(value)) return `[${value.size} entries]`;
  const result: Record<string, unknown> = {};
  for (const [name, inner] of Object.entries(value))
    result[name] = secretName.test(name) ? redacted : redact(inner, depth + 1);
  return result;
}

function redactError(error: Error, depth: number): Record<string, unknown> {
  const own = Object.fromEntries(
    Object.entries(error).filter(
      // `detail`, `parameters` and similar members of a driver's error repeat the values of a row.
      ([name]) => ['code', 'dependency', 'constraint', 'table', 'problems'].includes(name),
    ),
  );
  return {
    type: error.name,
    message: redactText(error.message),
    stack: redactText(error.stack ?? ''),
    ...(redact(own, depth + 1) as object),
    ...(error.cause === undefined ? {} : { cause: redact(error.cause, depth + 1) }),
    ...('errors' in error ? { errors: redact(error.errors, depth + 1) } : {}),
  };
}

/** Maximum size of lines that wait for a collector that does not read: some ten thousand lines. */
const maxWaitingBytes = 4 * 1024 * 1024;
/** Informational lines are sent together: when this much of them waits, or some time after the first. */
const gatheredBytes = 4096;
const gatheredMs = 50;
/** pino's number for `warn`: a line of this level or above is sent at once, with all lines before it. */
const graveLevel = 40;

interface LogDestinationOptions {
  /** If absent, the process's own stdout. Node writes to a pipe without blocking, to a file at once. */
  readonly stream?: Writable;
  readonly maxWaitingBytes?: number;
  /** Called for each dropped line. */
  readonly onDrop?: () => void;
}

/**
 * The destination of log lines, several in one write. If its reader stops, the process continues: it keeps the lines
 * that fit into the limit and drops the rest. It reports that in a line of its own as soon as it can. A reader that is
 * gone for ever does not end the process.
 */
export class LogDestination implements DestinationStream {
  readonly #stream: Writable;
  readonly #maxWaitingBytes: number;
  readonly #onDrop: () => void;
  #dropped = 0;
  #gathered = '';
  #gatheredLines = 0;
  #timer: NodeJS.Timeout | undefined;
  /** This makes pino pass the level of each line. */
  readonly [pino.symbols.needsMetadataGsym] = true;
  lastLevel = 0;

  constructor(options: LogDestinationOptions = {}) {
    this.#stream = options.stream ?? process.stdout;
    this.#maxWaitingBytes = options.maxWaitingBytes ?? maxWaitingBytes;
    this.#onDrop = options.onDrop ?? (() => undefined);
    // EPIPE and similar errors would end the process without a listener. The lines written then count as dropped. One
    // listener is enough, however many loggers write to the stream.
    if (this.#stream.listenerCount('error') === 0) this.#stream.on('error', () => undefined);
  }

  write(line: string): void {
    copyTo?.(line);
    const waiting = this.#stream.writableLength + this.#gathered.length;
    if (waiting + line.length > this.#maxWaitingBytes) {
      this.#drop(1);
      return;
    }
    if (this.#dropped > 0) this.#tellDropped();
    this.#gathered += line;
    this.#gatheredLines += 1;
    if (this.lastLevel >= graveLevel || this.#gathered.length >= gatheredBytes) this.#send();
    else this.#timer ??= setTimeout(this.#send, gatheredMs);
  }

  readonly #send = (): void => {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const [text, lines] = [this.#gathered, this.#gatheredLines];
    if (text === '') return;
    this.#gathered = '';
    this.#gatheredLines = 0;
    this.#stream.write(text, (error) => {
      if (error) this.#drop(lines);
    });
  };

  #drop(lines: number): void {
    this.#dropped += lines;
    for (let line = 0; line < lines; line += 1) this.#onDrop();
  }

  /** Calls back when all lines are written, or can no longer be; at once if nothing waits. */
  flush(done: () => void): void {
    this.#send();
    if (this.#stream.destroyed || this.#stream.writableLength === 0) done();
    else this.#stream.write('', done);
  }

  #tellDropped(): void {
    const time = new Date().toISOString();
    const { pid } = process;
    const told = {
      level: 'warn',
      time,
      pid,
      dropped: this.#dropped,
      msg: 'log lines were dropped',
    };
    this.#dropped = 0;
    this.#gathered += `${JSON.stringify(told)}\n`;
  }
}

let copyTo: ((line: string) => void) | undefined;

/** From now on gives each line of the process, redacted, to `to` as well; undefined ends it. */
export function copyLines(to: ((line: string) => void) | undefined): void {
  copyTo = to;
}

export type Logger = PinoLogger;

export interface LoggerOptions {
  readonly app: string;
  readonly level?: LogLevel;
  /** If absent, stdout, without waiting for it. */
  readonly destination?: DestinationStream;
}

/**
 * JSON lines: `level` as text, `time` RFC 3339, `app`, `pid`, `build`, `msg` and the given members. Secrets and phone numbers
 * are removed from the members at any depth.
 */
export function createLogger({ app, level = 'info', destination }: LoggerOptions): Logger {
  const logger = pino(
    {
      level,
      base: { app, pid: process.pid, build: buildOf() },
      timestamp: pino.stdTimeFunctions.isoTime,
      // `redact` writes errors out; pino's own serializer would run after it and undo it.
      serializers: { err: (value: unknown) => value },
      formatters: {
        level: (label) => ({ level: label }),
        bindings: (bindings) => redact(bindings) as Record<string, unknown>,
        log: (object) => redact(object) as Record<string, unknown>,
      },
      hooks: {
        logMethod(parameters, method) {
          method.apply(this, withErrorsAsMembers(parameters));
        },
      },
    },
    destination ?? new LogDestination(),
  );
  // pino formats only the bindings of the root logger; children inherit this method.
  // eslint-disable-next-line @typescript-eslint/unbound-method -- called with the child's own `this` below
  const { child } = logger;
  logger.child = function (this: PinoLogger, bindings, options) {
    return child.call(this, redact(bindings) as typeof bindings, options);
  } as PinoLogger['child'];
  return logger;
}

/** The time for which a process that ends waits for a collector that does not read. */
const flushDeadlineMs = 1000;

/** Ends the process once its log lines are written, or will not be in time. */
export function exitFlushed(logger: Logger, exitCode: number): void {
  const exit = () => process.exit(exitCode);
  setTimeout(exit, flushDeadlineMs);
  // At once if nothing waits: after an uncaught error, the event loop must not turn again without need.
  logger.flush(exit);
}

/** Masks texts; an error given alone keeps its message as the line's. */
function withErrorsAsMembers(parameters: Parameters<PinoLogger['info']>): typeof parameters {
  const [first, ...rest] = parameters as unknown[];
  const texts = rest.map((value) =>
    typeof value === 'string' ? redactText(value) : redact(value),
  );
  if (isError(first))
    return [{ err: first }, ...(texts.length > 0 ? texts : [redactText(first.message)])] as never;
  return [typeof first === 'string' ? redactText(first) : first, ...texts] as never;
}
