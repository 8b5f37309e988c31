import { join } from 'node:path';
import { type RunningParts, runSimulator, type Surroundings } from '#shared/simulator';
import { B2c } from './b2c.js';
import { C2b } from './c2b.js';
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

async function assemble(
  settings: Settings,
  { log, clock, callbacks, onJournalFailure }: Surroundings,
): Promise<RunningParts> {
  const path = join(settings.directory, 'journal.jsonl');
  const memory = await Memory.open(path, settings.floatMinor, onJournalFailure);
  const c2b = new C2b(settings, clock, memory, callbacks);
  const customers = new Customers(clock, memory, callbacks, c2b);
  const stk = new Stk(settings, clock, memory, customers);
  const b2c = new B2c(settings, clock, memory, callbacks);
  const reversals = new Reversals(settings, clock, memory, callbacks);
  const questions = new Questions(settings, clock, memory, callbacks);
  const server = buildServer({
    tokens: new Tokens(settings, clock, memory),
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
  return {
    server,
    resume: () => {
      for (const one of [customers, b2c, reversals]) one.resume();
    },
    stop: () => {
      for (const one of [customers, stk, b2c, questions, reversals]) one.stop();
    },
    close: () => memory.close(),
  };
}

await runSimulator(
  { app: 'daraja-simulator', name: 'the Daraja simulator' },
  readSettings,
  assemble,
);
