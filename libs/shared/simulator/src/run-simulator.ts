import { Clock } from '#domain/kernel';
import type { FastifyInstance } from 'fastify';
import { type Logger, pino } from 'pino';
import { Callbacks } from './callbacks.js';
import type { CommonSettings, ReadSettings } from './settings-reader.js';

/** The machine's clock moved by CLOCK_OFFSET, so that restarts can step through calendars. */
class OffsetClock extends Clock {
  constructor(private readonly offsetMs: number) {
    super();
  }

  nowMs(): number {
    return Date.now() + this.offsetMs;
  }
}

/** The limit for a shutdown that hangs. It loses nothing, because every answer is durable. */
const shutdownLimitMs = 5_000;

/** The means that every simulator gets. */
export interface Surroundings {
  readonly log: Logger;
  readonly clock: Clock;
  readonly callbacks: Callbacks;
  /** Ends the process: its journal cannot be written. */
  readonly onJournalFailure: (error: Error) => void;
}

/** A simulator before it listens. */
export interface RunningParts {
  readonly server: FastifyInstance;
  /** Resumes what an earlier run did not finish. */
  readonly resume: () => void;
  /** Ends all work, and the answers that are held back. */
  readonly stop: () => void;
  /** Closes the journal. Called last. */
  readonly close: () => Promise<void>;
}

/** Listens from the first moment on: the parent may go away before this process is ready. */
function askedToStop(): Promise<void> {
  return new Promise((resolve) => {
    process.on('SIGTERM', resolve);
    process.on('SIGINT', resolve);
    // The launcher's end of the channel closes when the launcher dies in any way.
    if (process.send !== undefined) process.on('disconnect', resolve);
  });
}

/** @returns a function that stops everything */
async function start<Settings extends CommonSettings>(
  app: string,
  settings: Settings,
  assemble: (settings: Settings, surroundings: Surroundings) => Promise<RunningParts>,
): Promise<() => Promise<void>> {
  const log = pino({ level: settings.logLevel, base: { app } });
  // Node would write its own warnings to stderr as plain text, among the JSON lines.
  process.removeAllListeners('warning');
  process.on('warning', ({ name, message }) => {
    log.warn({ warning: name }, message);
  });
  const callbacks = new Callbacks(log, settings.callbackHost);
  const { server, resume, stop, close } = await assemble(settings, {
    log,
    clock: new OffsetClock(settings.clockOffsetMs),
    callbacks,
    onJournalFailure: (error) => {
      log.fatal({ error: error.message }, 'the journal cannot be written');
      process.exit(1);
    },
  });
  await server.listen({ host: settings.host, port: settings.port });
  resume();

  const address = server.server.address();
  const port = typeof address === 'object' && address !== null ? address.port : settings.port;
  // Written at any LOG_LEVEL, because a launcher reads the port from it.
  process.stdout.write(`${JSON.stringify({ msg: 'listening', port })}\n`);

  return async () => {
    stop();
    // A connection that was answering when the server began to close turns idle later and would be kept alive.
    setInterval(() => {
      server.server.closeIdleConnections();
    }, 50).unref();
    await Promise.all([callbacks.stop(), server.close()]);
    await close();
  };
}

/**
 * Runs a simulator until it is asked to stop, and ends the process.
 * @param app its folder under `apps/`, which is also in its title and log lines
 * @param name its name in the message of a failure
 */
export async function runSimulator<Settings extends CommonSettings>(
  { app, name }: { readonly app: string; readonly name: string },
  readSettings: (
    environment: Readonly<Record<string, string | undefined>>,
  ) => ReadSettings<Settings>,
  assemble: (settings: Settings, surroundings: Surroundings) => Promise<RunningParts>,
): Promise<never> {
  process.title = `pesapost-${app}`;
  const asked = askedToStop();
  const read = readSettings(process.env);
  try {
    if ('problems' in read) throw new Error(read.problems.join('; '));
    const stop = await start(app, read.settings, assemble);
    await asked;
    setTimeout(() => process.exit(0), shutdownLimitMs).unref();
    await stop();
    process.exit(0);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    process.stderr.write(`${name} failed: ${why}\n`);
    process.exit(1);
  }
}
