import { type StoredLog } from '#domain/audit';
import { type EventStore } from '#domain/event-sourcing';
import { type Clock, type Ids } from '#domain/kernel';
import { type Database } from '#infra/postgres';
import { databaseNow } from '#views/view-set';
import { type CommandBus } from '@nestjs/cqrs';
import { RecordedProofs } from './proofs.js';
import { Sealer } from './sealer.js';
import { RecordedTiles } from './tiles.js';

/** Delay after a day's end: longer than any append takes, and than the clocks of one cluster differ. */
export const sealMarginMs = 300_000;

/** Dependencies of sealing in an app. */
interface SealingParts {
  readonly log: StoredLog;
  readonly store: EventStore;
  readonly database: Database;
  readonly bus: CommandBus;
  readonly ids: Ids;
  readonly timezone: string;
}

export function sealerOf({ database, bus, ...parts }: SealingParts): Sealer {
  return new Sealer({
    ...parts,
    tiles: new RecordedTiles(database),
    execute: (command) => bus.execute(command),
    nowMs: async () => (await databaseNow(database)).getTime(),
    marginMs: sealMarginMs,
  });
}

/** Dependencies of proofs in an app. */
interface ProofParts {
  readonly store: EventStore;
  readonly database: Database;
  readonly clock: Clock;
  readonly timezone: string;
}

export function proofsOf({ database, ...parts }: ProofParts): RecordedProofs {
  return new RecordedProofs({
    ...parts,
    tiles: new RecordedTiles(database),
    marginMs: sealMarginMs,
  });
}
