import {
  type CollectionEvent,
  collectionDecider,
  type CollectionKey,
  collectionKeyOf,
  collectionStream,
  type RecordedCollection,
} from '#domain/collections';
import { Pipeline, type RecordedEvent } from '#domain/event-sourcing';
import { type Mode } from '#domain/kernel';
import {
  type CaseFile,
  findReviewProposals,
  readCaseFile,
  type StoredReviewProposal,
} from '#adapters/records';
import { Database } from '#infra/postgres';
import { type TransactionItem, transactionFrom } from '#views/transactions';
import { type INestApplicationContext } from '@nestjs/common';
import { Refused } from '../refused.js';
import { findStreams } from './find-streams.js';

/** Which collection a person means. Where the reference is unique it is enough. */
export interface Named {
  readonly reference: string;
  readonly merchant?: string;
  readonly mode?: Mode;
}

/** Everything that is known of one collection: its history from the log itself, and what the records hold. */
export interface Case {
  readonly key: CollectionKey;
  readonly events: readonly RecordedEvent<CollectionEvent>[];
  readonly state: RecordedCollection;
  readonly item: TransactionItem;
  readonly file: CaseFile;
  /** The oldest first; at most one is open. */
  readonly proposals: readonly StoredReviewProposal[];
}

/** @throws Refused where there is no such collection, or more than one */
export async function loadCase(app: INestApplicationContext, named: Named): Promise<Case> {
  const database = app.get(Database);
  const key = await keyOf(app, named);
  const stream = collectionStream(key);
  const { events, state } = await app.get(Pipeline).load({ decider: collectionDecider, stream });
  const item = transactionFrom(events);
  if (!item || state.status === 'none') throw new Refused([unknown(named)]);
  return {
    key,
    events,
    state,
    item,
    file: await readCaseFile(database, stream),
    proposals: await findReviewProposals(database, stream),
  };
}

async function keyOf(
  app: INestApplicationContext,
  { reference, merchant, mode }: Named,
): Promise<CollectionKey> {
  if (merchant !== undefined && mode !== undefined)
    return { merchantId: merchant, mode, reference };
  const { streams: found } = await findStreams(app, reference);
  const streams = [...new Set(found.map(({ stream }) => stream))];
  const keys = streams
    .flatMap((stream) => collectionKeyOf(stream) ?? [])
    .filter((key) => key.merchantId === (merchant ?? key.merchantId))
    .filter((key) => key.mode === (mode ?? key.mode));
  const [only, ...others] = keys;
  if (!only) throw new Refused([unknown({ reference })]);
  if (others.length === 0) return only;
  throw new Refused([
    `${reference} is not unique; say which:`,
    ...keys.map((key) => `  --merchant ${key.merchantId} --mode ${key.mode}`),
  ]);
}

function unknown({ reference, merchant, mode }: Named): string {
  const whose = merchant === undefined ? '' : ` of merchant ${merchant}`;
  return `no collection ${reference}${whose}${mode === undefined ? '' : ` in ${mode} mode`}`;
}
