import { type LoggerService } from '@nestjs/common';
import { isError, type Logger } from './logger.js';

/**
 * Nest's `Logger` as lines of our log. A text is Nest's own: its messages while it wires modules are useful only for
 * debugging. An object with `msg` is ours, and its members are the line's, including `err`.
 */
export class NestLogger implements LoggerService {
  constructor(private readonly logger: Logger) {}

  log(message: unknown, ...parameters: unknown[]): void {
    this.#write(isLine(message) ? 'info' : 'debug', message, parameters);
  }
  error(message: unknown, ...parameters: unknown[]): void {
    this.#write('error', message, parameters);
  }
  warn(message: unknown, ...parameters: unknown[]): void {
    this.#write('warn', message, parameters);
  }
  debug(message: unknown, ...parameters: unknown[]): void {
    this.#write('debug', message, parameters);
  }
  verbose(message: unknown, ...parameters: unknown[]): void {
    this.#write('trace', message, parameters);
  }
  fatal(message: unknown, ...parameters: unknown[]): void {
    this.#write('fatal', message, parameters);
  }

  /** Nest passes the context last, and for an error perhaps its stack before it. */
  #write(
    level: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace',
    message: unknown,
    parameters: unknown[],
  ): void {
    const context = parameters.at(-1);
    const stack = parameters.length > 1 ? parameters[0] : undefined;
    const members = {
      ...(typeof context === 'string' ? { context } : {}),
      ...(typeof stack === 'string' ? { stack } : {}),
    };
    if (isError(message)) this.logger[level]({ ...members, err: message }, message.message);
    else if (typeof message === 'string') this.logger[level](members, message);
    else if (isLine(message)) {
      const { msg, ...line } = message;
      this.logger[level]({ ...members, ...line }, msg);
    } else this.logger[level]({ ...members, detail: message }, 'from Nest');
  }
}

/** A message of ours: what happened, with the ids to find it. */
interface Line {
  readonly msg: string;
  readonly [member: string]: unknown;
}

function isLine(message: unknown): message is Line {
  return (
    typeof message === 'object' &&
    message !== null &&
    typeof (message as Partial<Line>).msg === 'string'
  );
}
