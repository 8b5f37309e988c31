import { join } from 'node:path';
import { type RunningParts, runSimulator, type Surroundings } from '#shared/simulator';
import { Collections } from './collections.js';
import { Courses } from './courses.js';
import { Disbursements } from './disbursements.js';
import { Gate } from './gate.js';
import { Intake } from './intake.js';
import { Keys } from './keys.js';
import { Lookups } from './lookups.js';
import { Memory } from './memory.js';
import { Portal } from './portal.js';
import { Refunds } from './refunds.js';
import type { CollectionCode, PayoutCode } from './reports.js';
import { buildServer } from './server.js';
import { readSettings, type Settings } from './settings.js';
import { Sweeps } from './sweeps.js';
import { Tokens } from './token.js';

async function assemble(
  settings: Settings,
  { log, clock, callbacks, onJournalFailure }: Surroundings,
): Promise<RunningParts> {
  const path = join(settings.directory, 'journal.jsonl');
  const memory = await Memory.open(path, settings.floatMinor, onJournalFailure);
  const keys = await Keys.open(settings.directory);
  const portal = new Portal(settings, memory);
  const means = { clock, callbacks, portal, callbackKey: settings.callbackKey };
  const payments = new Courses<CollectionCode>(memory.collections, means);
  const payouts = new Courses<PayoutCode>(memory.payouts, means, ({ order }) =>
    BigInt(order.amountMinor) > memory.payableMinor ? '007' : undefined,
  );
  const intake = new Intake(settings, clock, memory, portal);
  const server = buildServer({
    tokens: new Tokens(settings, clock, memory, portal),
    gate: new Gate(keys, portal),
    collections: new Collections(memory, portal, intake, payments),
    disbursements: new Disbursements({ settings, memory, portal, keys }, intake, payouts),
    refunds: new Refunds(clock, memory, portal),
    lookups: new Lookups(clock, memory, portal, keys),
    portal,
    sweeps: new Sweeps(clock, memory),
    keys,
    memory,
    log,
  });
  return {
    server,
    resume: () => {
      for (const courses of [payments, payouts]) courses.resume();
    },
    stop: () => {
      for (const one of [payments, payouts, intake]) one.stop();
    },
    close: () => memory.close(),
  };
}

await runSimulator(
  { app: 'airtel-simulator', name: 'the Airtel simulator' },
  readSettings,
  assemble,
);
