import { pino, type DestinationStream, type Logger as PinoLogger } from 'pino';
import { isError } from './is-error.js';
import { LogDestination } from './log-destination.js';
import { redact, redactText } from './redact.js';
import { type LogLevel } from './settings.js';

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
