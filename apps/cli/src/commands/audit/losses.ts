import { createReadStream } from 'node:fs';
import { appendFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { EventStore } from '#domain/event-sourcing';
import {
  AcceptedLosses,
  acceptLosses,
  ListLosses,
  type LossChunk,
  LossCollector,
  type LossesRefusal,
  type LossList,
  LossLists,
  type LossSummary,
} from '#domain/losses';
import { Admins } from '#domain/proposals';
import { Database } from '#infra/postgres';
import { sha256Hex } from '#shared/signing';
import { type VerifyProgress, verifyViews } from '#views/verification';
import { type INestApplicationContext } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { Command } from 'commander';
import { withApp } from '../../app.js';
import { keptMessages } from '../../kept-messages.js';
import { change, type ChangeOptions, withReason } from '../../operator.js';
import { endProgress, printJson, printLines, showProgress } from '../../print.js';
import { propose, proposeRefusals } from '../../propose.js';
import { Refused } from '../../refused.js';
import { plainCommand } from '../plain-command.js';

interface AcceptOptions extends ChangeOptions {
  readonly digest: string;
}

const show = plainCommand(
  'show',
  'compares the records with the whole log, and shows the extent of the messages and claims that are missing and not accepted yet',
  'audit losses show',
).action(async ({ json }: { readonly json?: true }) => {
  const losses = await withApp((app) => findLosses(app)).finally(endProgress);
  if (json) printJson({ losses: losses ? jsonOf(losses) : null });
  else printLines(losses ? textOf(losses) : ['nothing is missing, or all of it is accepted']);
});

const accept = change(
  'accept',
  'proposes to accept exactly the losses that show names, so that verify and audit check pass again and a new loss is seen. It takes two admins',
  'audit losses accept --digest 4e07408562bedb8b60ce05c1decfe3ad16b72230967de01f640b7e4729b49fce --reason "restored to 20 November, 14:05"',
)
  .requiredOption('--digest <digest>', 'the digest that audit losses show prints')
  .action(async (options: AcceptOptions) => {
    const list = await withApp((app) => listLosses(app, options)).finally(endProgress);
    await propose(acceptLosses, list, options, refusals);
  });

export const losses = new Command('losses')
  .description('messages and claims that a restore of the records lost')
  .addCommand(show)
  .addCommand(accept);

const changedSince = 'run npx pesapost audit losses show again';
const refusals = {
  empty: 'nothing is missing, or all of it is accepted',
  other_list: `the list in the log is not the one that was made: ${changedSince}`,
  found_again: `some of these messages are in the records again: ${changedSince}`,
} as const satisfies Record<LossesRefusal, string>;

/**
 * Walks the log like `verify`. Memory does not grow with the number of losses.
 * @param keep receives each part of their list
 * @returns undefined if nothing is missing that is not accepted
 */
async function findLosses(
  app: INestApplicationContext,
  keep: (part: LossChunk) => Promise<void> = () => Promise.resolve(),
): Promise<LossSummary | undefined> {
  const store = app.get<EventStore>(EventStore);
  const collector = new LossCollector(sha256Hex);
  const database = app.get(Database);
  await verifyViews({
    store,
    database,
    maxNamed: 0,
    evidence: await keptMessages(database),
    accepted: await AcceptedLosses.load(store, app.get(LossLists)),
    onLoss: async (loss) => {
      const part = collector.add(loss);
      if (part) await keep(part);
    },
    onProgress: ({ events, position, upTo }: VerifyProgress) => {
      const percent = upTo === 0n ? 100n : (position * 100n) / upTo;
      showProgress(`${events.toLocaleString('en')} events, ${percent} %`);
    },
  });
  for (const part of collector.finish()) await keep(part);
  return collector.summary;
}

/**
 * Writes the list to the log if it is the one that the admin saw. A file has it until the end of the walk, because only
 * then its digest is known.
 * @throws Refused
 */
async function listLosses(app: INestApplicationContext, options: AcceptOptions): Promise<LossList> {
  await requireAdmin(app, options);
  const directory = await mkdtemp(join(tmpdir(), 'pesapost-losses-'));
  const file = join(directory, 'list');
  try {
    const summary = await findLosses(app, (part) => appendFile(file, `${JSON.stringify(part)}\n`));
    if (!summary) throw new Refused([refusals.empty]);
    if (summary.digest !== options.digest)
      throw new Refused([
        `this is not what is missing now (digest ${summary.digest}): ${changedSince}`,
      ]);
    const command = new ListLosses(partsIn(file), withReason(options));
    return { ...summary, list: await app.get(CommandBus).execute(command) };
  } finally {
    await rm(directory, { recursive: true });
  }
}

/** Checks it before anything is written to the log. @throws Refused */
async function requireAdmin(app: INestApplicationContext, { as }: AcceptOptions): Promise<void> {
  const standing = await app.get<Admins>(Admins).standingOf(as);
  if (standing === 'no_roles') throw new Refused([proposeRefusals.no_admins]);
  if (standing !== 'admin') throw new Refused(['only an admin accepts losses']);
}

async function* partsIn(file: string): AsyncGenerator<LossChunk, void, void> {
  for await (const line of createInterface({ input: createReadStream(file) }))
    yield JSON.parse(line) as LossChunk;
}

function textOf({ messages, claims, digest, ...range }: LossSummary): readonly string[] {
  return [
    `missing and not accepted: ${messages.toLocaleString('en')} messages, ${claims.toLocaleString('en')} idempotency claims`,
    `named by events from ${range.from} (position ${range.fromPosition}) to ${range.to} (position ${range.toPosition})`,
    `digest ${digest}`,
    'If a restore explains all of them, one admin proposes to accept them and another confirms:',
    `npx pesapost audit losses accept --digest ${digest} --reason "…"`,
  ];
}

function jsonOf({ messages, claims, digest, ...range }: LossSummary): object {
  const { from, to, fromPosition: from_position, toPosition: to_position } = range;
  return { messages, claims, from, to, from_position, to_position, digest };
}
