import {
  type CaseFile,
  findCaseFile,
  findPayoutQueries,
  type MadePayoutQueries,
} from '#records/rails';
import { findReviewProposals, type StoredReviewProposal } from '#records/reviews';
import {
  collectionDecider,
  type CollectionEvent,
  type CollectionKey,
  type RecordedCollection,
} from '#domain/collections';
import { type Pipeline, type RecordedEvent } from '#domain/event-sourcing';
import { type FeeSchedule } from '#domain/ledger';
import { type Mode, ok, refuse, type Result } from '#domain/kernel';
import {
  arePayoutsPaused,
  payoutDecider,
  type PayoutEvent,
  type RecordedPayout,
} from '#domain/payouts';
import { transactionFrom, type TransactionItem } from '#views/transactions';
import {
  findByIndex,
  findInLog,
  type Found,
  type FoundStream,
  type LogSearch,
  type SearchSources,
} from './find-streams.js';
import { type Item, itemOf, itemStream, type ItemType, itemTypes } from './item.js';

/** The collection or payout that a person names. If the reference is unique, it is enough. */
export interface Named {
  readonly reference: string;
  readonly merchant?: string;
  readonly mode?: Mode;
  readonly type?: ItemType;
}

/**
 * The reason why a name does not identify one item.
 * - `unknown`: no item has it.
 * - `both`: a collection and a payout of the merchant have it.
 * - `several`: these items have it.
 */
export type NotOne =
  | { readonly why: 'unknown'; readonly named: Named }
  | { readonly why: 'both'; readonly reference: string }
  | { readonly why: 'several'; readonly reference: string; readonly items: readonly Item[] };

/** One item: its history from the log itself, and the records about it. */
interface KnownOf<Event extends CollectionEvent | PayoutEvent, State> {
  readonly key: CollectionKey;
  readonly events: readonly RecordedEvent<Event>[];
  readonly state: State;
  readonly item: TransactionItem;
  readonly file: CaseFile;
  /** Oldest first; at most one is open. */
  readonly proposals: readonly StoredReviewProposal[];
}

export interface CollectionCase extends KnownOf<CollectionEvent, RecordedCollection> {
  readonly type: 'collection';
  /** The account's current fee schedule, if its reader needs the fee of a decision. */
  readonly fees?: FeeSchedule | undefined;
}

export interface PayoutCase extends KnownOf<PayoutEvent, RecordedPayout> {
  readonly type: 'payout';
  /** Undefined if the rail was not asked yet, or need not be asked any more. */
  readonly asked: MadePayoutQueries | undefined;
  /** True if an operator paused it; it would be sent otherwise. */
  readonly isPaused: boolean;
}

export type Case = CollectionCase | PayoutCase;

/** Finds collections and payouts for people. Every method throws DependencyUnavailable. */
export class Cases {
  constructor(
    private readonly sources: SearchSources,
    private readonly pipeline: Pipeline,
  ) {}

  /** Finds the streams that a search term belongs to: by an index, or else in the log. */
  async find(word: string, search: LogSearch = {}): Promise<Found> {
    const streams = await this.findIndexed(word);
    return streams.length > 0 ? { streams, gaveUp: false } : this.findInLog(word, search);
  }

  /** Finds references, receipts and rail references. */
  findIndexed(word: string): Promise<readonly FoundStream[]> {
    return findByIndex(this.sources, word);
  }

  /** Finds statement codes, request ids and event ids. */
  findInLog(word: string, search: LogSearch = {}): Promise<Found> {
    return findInLog(this.sources, word, search);
  }

  async load(named: Named): Promise<Result<Case, NotOne>> {
    const found = await this.itemNamed(named);
    if (!found.ok) return found;
    const loaded = await this.caseOf(found.value);
    return loaded ? ok(loaded) : refuse({ why: 'unknown', named });
  }

  async itemNamed(named: Named): Promise<Result<Item, NotOne>> {
    const { reference, merchant, mode, type } = named;
    if (merchant !== undefined && mode !== undefined) {
      const found = await this.findItem({ merchantId: merchant, mode, reference }, type);
      if (!found.ok) return found;
      return found.value ? ok(found.value) : refuse({ why: 'unknown', named });
    }
    const { streams: found } = await this.find(reference);
    const items = [...new Set(found.map(({ stream }) => stream))]
      .flatMap((stream) => itemOf(stream) ?? [])
      .filter(({ key }) => key.merchantId === (merchant ?? key.merchantId))
      .filter(({ key }) => key.mode === (mode ?? key.mode))
      .filter((item) => item.type === (type ?? item.type));
    const [only, ...others] = items;
    if (!only) {
      const searched = { reference, ...(type === undefined ? {} : { type }) };
      return refuse({ why: 'unknown', named: searched });
    }
    return others.length === 0 ? ok(only) : refuse({ why: 'several', reference, items });
  }

  /**
   * Finds the item that a person names. Money depends on it: if both a collection and a payout exist, it never guesses.
   * @returns undefined if neither exists; a refusal if both do and the person did not say which
   */
  async findItem(
    key: CollectionKey,
    type: ItemType | undefined,
  ): Promise<Result<Item | undefined, Extract<NotOne, { why: 'both' }>>> {
    const found: Item[] = [];
    for (const each of type === undefined ? itemTypes : [type]) {
      const item = { type: each, key };
      if ((await this.pipeline.firstEventId(itemStream(item))) !== undefined) found.push(item);
    }
    if (found.length > 1) return refuse({ why: 'both', reference: key.reference });
    return ok(found[0]);
  }

  private async caseOf(found: Item): Promise<Case | undefined> {
    const {
      pipeline,
      sources: { database },
    } = this;
    const { key } = found;
    const stream = itemStream(found);
    const known = {
      key,
      file: await findCaseFile(database, stream),
      proposals: await findReviewProposals(database, stream),
    };
    if (found.type === 'payout') {
      const { events, state } = await pipeline.load({ decider: payoutDecider, stream });
      const item = transactionFrom(events);
      if (!item || state.status === 'none') return undefined;
      const asked = await findPayoutQueries(database, stream);
      const isPaused = state.status === 'approved' && (await arePayoutsPaused(pipeline, key));
      return { type: 'payout', ...known, events, state, item, asked, isPaused };
    }
    const { events, state } = await pipeline.load({ decider: collectionDecider, stream });
    const item = transactionFrom(events);
    if (!item || state.status === 'none') return undefined;
    return { type: 'collection', ...known, events, state, item };
  }
}
