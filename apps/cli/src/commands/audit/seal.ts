import { type DayHead } from '#domain/audit';
import { EventStore } from '#domain/event-sourcing';
import {
  HistoryChanged,
  NoSealKey,
  sealerOf,
  SealKeyReplaced,
  SealKeySigner,
  TilesDamaged,
  TreesMoved,
  UnreadablePosting,
} from '#adapters/audit';
import { EventStoreDb } from '#infra/eventstoredb';
import { Database } from '#infra/postgres';
import { UuidIds } from '#infra/runtime';
import { type INestApplicationContext } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { withApp } from '../../app.js';
import { printJson, printLines } from '../../print.js';
import { Refused } from '../../refused.js';
import { settingsOrRefused } from '../../settings.js';
import { plainCommand } from '../plain-command.js';

export const seal = plainCommand(
  'seal',
  'seals every past day that is not sealed yet, the oldest first; the worker does so each day by itself',
  'audit seal',
).action(async ({ json }: { readonly json?: true }) => {
  const { platformTimezone: timezone } = settingsOrRefused();
  const { heads, nextAt } = await withApp((app) => sealing(() => sealIn(app, timezone)));
  if (json) {
    printJson({ sealed: heads, next_at: nextAt ?? null });
    return;
  }
  printLines([
    ...heads.map(
      ({ date, treeSize, root }) => `sealed ${date}: ${treeSize} postings, root ${root}`,
    ),
    ...(heads.length === 0 ? ['nothing to seal: no day is over that is not sealed'] : []),
    ...(nextAt === undefined ? [] : [`the next day may be sealed at ${nextAt} (${timezone})`]),
  ]);
});

async function sealIn(
  app: INestApplicationContext,
  timezone: string,
): Promise<{ readonly heads: readonly DayHead[]; readonly nextAt: string | undefined }> {
  if (!app.get(SealKeySigner).isSet) throw new NoSealKey();
  const sealer = sealerOf({
    log: app.get(EventStoreDb),
    store: app.get<EventStore>(EventStore),
    database: app.get(Database),
    bus: app.get(CommandBus),
    ids: new UuidIds(),
    timezone,
  });
  const heads = await sealer.run();
  return { heads, nextAt: await sealer.nextAt() };
}

/** @throws Refused with the fault of history or its trees */
async function sealing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof HistoryChanged)
      throw new Refused([
        `HISTORY CHANGED, nothing was signed: ${error.message}`,
        'run npx pesapost audit check; it names what is not as it was',
      ]);
    if (error instanceof UnreadablePosting)
      throw new Refused([
        `its day and all later ones are not sealed: ${error.message}`,
        'docs/how-to/audit-the-history.md says what to do',
      ]);
    if (error instanceof TreesMoved)
      throw new Refused(['the worker, or somebody else, seals at this moment: try again']);
    if (error instanceof TilesDamaged)
      throw new Refused([
        `the records of the trees are damaged, nothing was signed: ${error.message}`,
        'run npx pesapost audit check; docs/how-to/audit-the-history.md says how they are made again',
      ]);
    if (error instanceof NoSealKey || error instanceof SealKeyReplaced)
      throw new Refused([error.message]);
    throw error;
  }
}
