import { types } from 'node:util';
import { type Writable } from 'node:stream';
import { type DestinationStream, type Logger as PinoLogger, pino } from 'pino';
import { type LogLevel } from './settings.js';

/**
 * Whether it is an error, of whatever realm: Node's own errors are no `instanceof Error` where a program runs
 * in a context of its own, as under jest.
 */
export function isError(value: unknown): value is Error {
  return value instanceof Error || Object.prototype.toString.call(value) === '[object Error]';
}

/** Names under which secrets and personal data travel; a log line never holds their values. */
const secretName =
  /^(authorization|cookie|set-cookie|password|passwd|passkey|securitycredential|phone|phonenumber|msisdn|mobilenumber|tel|partya|partyb|body|rawbody|x-pp-signature|signature|hsh|hash|nonce|x-pp-nonce|access_?token|client_?secret|consumer_?(key|secret)|private_?key(_?pem)?|master_?keys?|checkout_?secret|webhook_?secret|secret|token|databaseurl|redisurl|eventstoreurl)$/i;

/**
 * A Kenyan mobile number in any of the forms that people write: in one, or in groups (0712 345 678, +254-712-345678,
 * 071 234 5678), and as a URL has its plus (%2B254…).
 */
const phoneNumber =
  /(?:(?<![0-9A-Za-z])|(?<=%[0-9A-Fa-f]{2}))(?:\+|00)?(254|0)[ .-]?([17])(?:\d{5}[ .-]?|\d{2}[ .-]\d{3}[ .-]?|\d[ .-]\d{3}[ .-]\d)(\d{3})(?![0-9A-Za-z])/g;
/** The number that ends an id of the rail, behind day and time: `ws_CO_230920262019337708374149`. */
const numberInRailId = /(?<=\d{14})([17])\d{5}(\d{3})(?!\d)/g;
/** The password of a URL. */
const urlPassword = /(\/\/[^/\s:@]*:)[^/\s@]+@/g;

const redacted = '[redacted]';
const deepest = 6;

/** The text without phone numbers and passwords of URLs. */
export function redactText(text: string): string {
  return text
    .replace(phoneNumber, '$1$2*****$3')
    .replace(numberInRailId, '$1*****$2')
    .replace(urlPassword, `$1${redacted}@`);
}

/**
 * Members of a line that this service makes up itself: ids, codes, durations, patterns of routes. They are written as
 * they are, for they can hold no secret; what others sent has no place in them before it went through `redactText`.
 */
export class OwnMembers {
  constructor(readonly members: Readonly<Record<string, string | number | undefined>>) {}
}

/**
 * What may be written to a log in the place of `value`: members with a secret's name are replaced, phone
 * numbers in texts masked, errors written out with their causes, bytes and depths left out.
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
      // `detail`, `parameters` and the like of a driver's error repeat the values of a row.
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

/** What may wait for a collector that does not read: some ten thousand lines. */
const maxWaitingBytes = 4 * 1024 * 1024;
/** Lines that only inform go out together: when so much of them waits, or so long after the first. */
const gatheredBytes = 4096;
const gatheredMs = 50;
/** pino's number for `warn`: what is that grave goes out at once, and with it what came before. */
const graveLevel = 40;

interface LogDestinationOptions {
  /** The process's own stdout, unless given. Node writes to a pipe without blocking, to a file at once. */
  readonly stream?: Writable;
  readonly maxWaitingBytes?: number;
  /** Told of each line that was dropped. */
  readonly onDrop?: () => void;
}

/**
 * Where log lines go, several in one write. Whoever reads them may stop: the process then goes on, keeps what still
 * fits into its bound and drops the rest, and says so in a line of its own as soon as it can. A reader that is gone
 * for ever ends nothing.
 */
export class LogDestination implements DestinationStream {
  readonly #stream: Writable;
  readonly #maxWaitingBytes: number;
  readonly #onDrop: () => void;
  #dropped = 0;
  #gathered = '';
  #gatheredLines = 0;
  #timer: NodeJS.Timeout | undefined;
  /** pino tells the level of each line, where it is asked to by this. */
  readonly [pino.symbols.needsMetadataGsym] = true;
  lastLevel = 0;

  constructor(options: LogDestinationOptions = {}) {
    this.#stream = options.stream ?? process.stdout;
    this.#maxWaitingBytes = options.maxWaitingBytes ?? maxWaitingBytes;
    this.#onDrop = options.onDrop ?? (() => undefined);
    // EPIPE and the like: without a listener they would end the process. What was written then counts as dropped.
    // One listener is enough, however many loggers write to the stream.
    if (this.#stream.listenerCount('error') === 0) this.#stream.on('error', () => undefined);
  }

  write(line: string): void {
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

  /** Calls back when all that was taken is written, or can no longer be; at once where nothing waits. */
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

export type Logger = PinoLogger;

export interface LoggerOptions {
  readonly app: string;
  readonly level?: LogLevel;
  /** stdout where absent, never waited for. */
  readonly destination?: DestinationStream;
}

/**
 * JSON lines: `level` as text, `time` RFC 3339, `app`, `pid`, `msg` and the given members, from which
 * secrets and phone numbers are taken out whatever their place.
 */
export function createLogger({ app, level = 'info', destination }: LoggerOptions): Logger {
  const logger = pino(
    {
      level,
      base: { app, pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      // Errors are written out by `redact`; pino's own serializer would run after it and undo it.
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
  // pino formats the bindings of the root logger alone; children inherit this method.
  // eslint-disable-next-line @typescript-eslint/unbound-method -- called with the child's own `this` below
  const { child } = logger;
  logger.child = function (this: PinoLogger, bindings, options) {
    return child.call(this, redact(bindings) as typeof bindings, options);
  } as PinoLogger['child'];
  return logger;
}

/** What a process that ends waits for a collector that does not read. */
const flushDeadlineMs = 1000;

/** Ends the process once its log lines are written, or will not be in time. */
export function exitFlushed(logger: Logger, exitCode: number): void {
  const exit = () => process.exit(exitCode);
  setTimeout(exit, flushDeadlineMs);
  // At once where nothing waits: after an error that nobody caught the loop shall not turn once more without need.
  logger.flush(exit);
}

/** Texts are masked; an error given alone keeps its message as the line's. */
function withErrorsAsMembers(parameters: Parameters<PinoLogger['info']>): typeof parameters {
  const [first, ...rest] = parameters as unknown[];
  const texts = rest.map((value) =>
    typeof value === 'string' ? redactText(value) : redact(value),
  );
  if (isError(first))
    return [{ err: first }, ...(texts.length > 0 ? texts : [redactText(first.message)])] as never;
  return [typeof first === 'string' ? redactText(first) : first, ...texts] as never;
}
