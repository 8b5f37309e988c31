import {
  type CollectionEvent,
  collectionDecider,
  type CollectionKey,
  type RecordedCollection,
} from '#domain/collections';
import { Pipeline, type RecordedEvent } from '#domain/event-sourcing';
import { type Mode } from '#domain/kernel';
import { payoutDecider, type PayoutEvent, type RecordedPayout } from '#domain/payouts';
import {
  type CaseFile,
  findReviewProposals,
  type MadePayoutQueries,
  readCaseFile,
  readPayoutQueries,
  type StoredReviewProposal,
} from '#adapters/records';
import { Database } from '#infra/postgres';
import { type TransactionItem, transactionFrom } from '#views/transactions';
import { type INestApplicationContext } from '@nestjs/common';
import { Refused } from '../refused.js';
import { findStreams } from './find-streams.js';
import { findItem, type Item, itemOf, itemStream, type ItemType } from './item.js';

/** Which collection or payout a person means. Where the reference is unique it is enough. */
export interface Named {
  readonly reference: string;
  readonly merchant?: string;
  readonly mode?: Mode;
  readonly type?: ItemType;
}

/** Everything that is known of one item: its history from the log itself, and what the records hold. */
interface KnownOf<Event extends CollectionEvent | PayoutEvent, State> {
  readonly key: CollectionKey;
  readonly events: readonly RecordedEvent<Event>[];
  readonly state: State;
  readonly item: TransactionItem;
  readonly file: CaseFile;
  /** The oldest first; at most one is open. */
  readonly proposals: readonly StoredReviewProposal[];
}

export interface CollectionCase extends KnownOf<CollectionEvent, RecordedCollection> {
  readonly type: 'collection';
}

export interface PayoutCase extends KnownOf<PayoutEvent, RecordedPayout> {
  readonly type: 'payout';
  /** Undefined where the rail was not asked yet, or nobody needs to know any more. */
  readonly asked: MadePayoutQueries | undefined;
}

export type Case = CollectionCase | PayoutCase;

/** @throws Refused where there is no such collection or payout, or more than one */
export async function loadCase(app: INestApplicationContext, named: Named): Promise<Case> {
  const found = await itemNamed(app, named);
  const { key } = found;
  const stream = itemStream(found);
  const pipeline = app.get(Pipeline);
  const database = app.get(Database);
  const known = {
    key,
    file: await readCaseFile(database, stream),
    proposals: await findReviewProposals(database, stream),
  };
  if (found.type === 'payout') {
    const { events, state } = await pipeline.load({ decider: payoutDecider, stream });
    const item = transactionFrom(events);
    if (!item || state.status === 'none') throw new Refused([unknown(named)]);
    const asked = await readPayoutQueries(database, stream);
    return { type: 'payout', ...known, events, state, item, asked };
  }
  const { events, state } = await pipeline.load({ decider: collectionDecider, stream });
  const item = transactionFrom(events);
  if (!item || state.status === 'none') throw new Refused([unknown(named)]);
  return { type: 'collection', ...known, events, state, item };
}

/** @throws Refused where there is none, or more than one */
export async function itemNamed(app: INestApplicationContext, named: Named): Promise<Item> {
  const { reference, merchant, mode, type } = named;
  if (merchant !== undefined && mode !== undefined) {
    const found = await findItem(app, { merchantId: merchant, mode, reference }, type);
    if (!found) throw new Refused([unknown(named)]);
    return found;
  }
  const { streams: found } = await findStreams(app, reference);
  const items = [...new Set(found.map(({ stream }) => stream))]
    .flatMap((stream) => itemOf(stream) ?? [])
    .filter(({ key }) => key.merchantId === (merchant ?? key.merchantId))
    .filter(({ key }) => key.mode === (mode ?? key.mode))
    .filter((item) => item.type === (type ?? item.type));
  const [only, ...others] = items;
  if (!only) throw new Refused([unknown({ reference, ...(type === undefined ? {} : { type }) })]);
  if (others.length === 0) return only;
  throw new Refused([
    `${reference} is not unique; say which:`,
    ...items.map(
      ({ type: one, key }) => `  --type ${one} --merchant ${key.merchantId} --mode ${key.mode}`,
    ),
  ]);
}

/** What a person is told who named nothing. */
export function unknown({
  reference,
  merchant,
  mode,
  type,
}: Omit<Named, 'type'> & { readonly type?: string }): string {
  const whose = merchant === undefined ? '' : ` of merchant ${merchant}`;
  const what = type ?? 'collection or payout';
  return `no ${what} ${reference}${whose}${mode === undefined ? '' : ` in ${mode} mode`}`;
}
