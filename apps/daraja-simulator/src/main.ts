import { Clock } from '#domain/kernel';
import { join } from 'node:path';
import { pino } from 'pino';
import { B2c } from './b2c.js';
import { C2b } from './c2b.js';
import { Callbacks } from './callbacks.js';
import { Customers } from './customers.js';
import { Memory } from './memory.js';
import { Pull } from './pull.js';
import { Questions } from './questions.js';
import { Reversals } from './reversals.js';
import { buildServer } from './server.js';
import { readSettings, type Settings } from './settings.js';
import { Stk } from './stk.js';
import { Sweeps } from './sweeps.js';
import { Tokens } from './token.js';

/** The machine's clock moved by CLOCK_OFFSET, so that restarts can step through calendars. */
export class OffsetClock extends Clock {
  constructor(private readonly offsetMs: number) {
    super();
  }

  nowMs(): number {
    return Date.now() + this.offsetMs;
  }
}

/** The limit for a shutdown that hangs. It loses nothing, because every answer is durable. */
const shutdownLimitMs = 5_000;

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
async function start(settings: Settings): Promise<() => Promise<void>> {
  const log = pino({ level: settings.logLevel, base: { app: 'daraja-simulator' } });
  // Node would write its own warnings to stderr as plain text, among the JSON lines.
  process.removeAllListeners('warning');
  process.on('warning', ({ name, message }) => {
    log.warn({ warning: name }, message);
  });
  const clock = new OffsetClock(settings.clockOffsetMs);
  const path = join(settings.directory, 'journal.jsonl');
  const memory = await Memory.open(path, settings.floatMinor, (error) => {
    log.fatal({ error: error.message }, 'the journal cannot be written');
    process.exit(1);
  });
  const callbacks = new Callbacks(log, settings.callbackHost);
  const c2b = new C2b(settings, clock, memory, callbacks);
  const customers = new Customers(clock, memory, callbacks, c2b);
  const stk = new Stk(settings, clock, memory, customers);
  const b2c = new B2c(settings, clock, memory, callbacks);
  const reversals = new Reversals(settings, clock, memory, callbacks);
  const questions = new Questions(settings, clock, memory, callbacks);
  const tokens = new Tokens(settings, clock, memory);
  const server = buildServer({
    tokens,
    stk,
    b2c,
    questions,
    reversals,
    c2b,
    memory,
    log,
    pull: new Pull(settings, clock, memory),
    sweeps: new Sweeps(clock, memory),
  });
  await server.listen({ host: settings.host, port: settings.port });
  customers.resume();
  b2c.resume();
  reversals.resume();

  const address = server.server.address();
  const port = typeof address === 'object' && address !== null ? address.port : settings.port;
  // Written at any LOG_LEVEL, because a launcher reads the port from it.
  process.stdout.write(`${JSON.stringify({ msg: 'listening', port })}\n`);

  return async () => {
    customers.stop();
    stk.stop();
    b2c.stop();
    questions.stop();
    reversals.stop();
    // A connection that was answering when the server began to close turns idle later and would be kept alive.
    setInterval(() => {
      server.server.closeIdleConnections();
    }, 50).unref();
    await Promise.all([callbacks.stop(), server.close()]);
    await memory.close();
  };
}

process.title = 'pesapost-daraja-simulator';
const asked = askedToStop();
const read = readSettings(process.env);
try {
  if ('problems' in read) throw new Error(read.problems.join('; '));
  const stop = await start(read.settings);
  await asked;
  setTimeout(() => process.exit(0), shutdownLimitMs).unref();
  await stop();
  process.exit(0);
} catch (error) {
  const why = error instanceof Error ? error.message : String(error);
  process.stderr.write(`the Daraja simulator failed: ${why}\n`);
  process.exit(1);
}
