import {
  findReviewProposals,
  RecordedReceiptClaims,
  RecordedReviewProposals,
} from '#records/reviews';
import { randomUUID } from 'node:crypto';
import { type CommandMetadata, Pipeline, type RecordedEvent } from '#domain/event-sourcing';
import { type Mode } from '#domain/kernel';
import { type Account, MerchantDirectory } from '#domain/merchants';
import { UuidIds } from '#infra/runtime';
import { collectionIntent, openStore, type ThrowAwayDatabase, throwAwayDatabase } from '#testing';
import { collectionDecider } from '../src/collection.js';
import {
  type FoundPayment,
  type ProposalOutcome,
  ReceiptUse,
  type Ruling,
  UsedReceipts,
} from '#domain/reviews';
import {
  type CollectionEvent,
  type CollectionKey,
  collectionStream,
} from '../src/collection.events.js';
import { decideConfirmCollection } from '../src/confirm/confirm-collection.decide.js';
import { ConfirmReview, ConfirmReviewHandler } from '../src/review/confirm-review.command.js';
import { DeclineReview, DeclineReviewHandler } from '../src/review/decline-review.command.js';
import { OpenReview, OpenReviewHandler } from '../src/review/open-review.command.js';
import { ResolveReview, ResolveReviewHandler } from '../src/review/resolve-review.command.js';

class Merchants extends MerchantDirectory {
  override findAccount(merchantId: string, mode: Mode, accountNo: string): Promise<Account> {
    const feeSchedule = { basisPoints: 200, flatMinor: 0n };
    const terms = { currency: 'KES', feeSchedule, channels: ['mpesa'] };
    return Promise.resolve({ merchantId, mode, accountNo, ...terms });
  }
}

/** The receipts that other collections have. */
class Receipts extends UsedReceipts {
  readonly users = new Map<string, string>();

  /** The next search ends when this resolves, like in a frozen process. */
  frozen: Promise<void> | undefined;

  override async streamsWith(_mode: Mode, receipt: string): Promise<readonly string[]> {
    const user = this.users.get(receipt);
    const { frozen } = this;
    this.frozen = undefined;
    await frozen;
    return user === undefined ? [] : [user];
  }
}

/** The process dies between the decision and the proposal's end, this many times. */
class Dying extends RecordedReviewProposals {
  deaths = 0;

  override end(id: string, outcome: ProposalOutcome): Promise<void> {
    if (this.deaths === 0) return super.end(id, outcome);
    this.deaths -= 1;
    return Promise.reject(new Error('the process died'));
  }
}

export const amountMinor = 10_000n;
const railMetadata: CommandMetadata = {
  correlationId: 'spec',
  actor: { kind: 'rail', id: 'mpesa' },
  commitment: 'c0ffee',
};

/** Operators, the rail and collections over a real event store and Postgres. */
export class ReviewFixture {
  private readonly store = openStore();
  private readonly pipeline = new Pipeline(this.store, new UuidIds());

  private constructor(private readonly server: ThrowAwayDatabase) {}

  static async start(): Promise<ReviewFixture> {
    return new ReviewFixture(await throwAwayDatabase());
  }

  async stop(): Promise<void> {
    await this.store.dispose();
    await this.server.drop();
  }

  /** A separate command line, for any operator. */
  operators() {
    const { pipeline } = this;
    const proposals = new Dying(this.server.database);
    const receipts = new Receipts();
    const merchants = new Merchants();
    const resolving = new ResolveReviewHandler(pipeline, proposals, receipts, merchants);
    const use = new ReceiptUse(
      this.store,
      new RecordedReceiptClaims(this.server.database),
      receipts,
    );
    const declining = new DeclineReviewHandler(pipeline, proposals);
    const confirming = new ConfirmReviewHandler(pipeline, proposals, use, merchants);
    const by = (id: string): CommandMetadata => ({
      correlationId: randomUUID(),
      actor: { kind: 'operator', id },
    });
    const bus = {
      execute: (command: ResolveReview) => resolving.execute(command),
    } as unknown as ConstructorParameters<typeof OpenReviewHandler>[2];
    const opening = new OpenReviewHandler(pipeline, receipts, bus);
    return {
      open: (key: CollectionKey, who: string, payment: FoundPayment) =>
        opening.execute(new OpenReview(key, payment, { ...by(who), reason: 'line 12' })),
      proposals,
      receipts,
      resolve: (key: CollectionKey, who: string, ruling: Ruling) =>
        resolving.execute(new ResolveReview(key, ruling, { ...by(who), reason: 'line 12' })),
      confirm: (key: CollectionKey, who: string, proposalId?: string) =>
        confirming.execute(new ConfirmReview(key, proposalId, by(who))),
      decline: (key: CollectionKey, who: string, proposalId: string) =>
        declining.execute(new DeclineReview(key, proposalId, { ...by(who), reason: 'not so' })),
    };
  }

  /** A collection without any report. */
  silent(): Promise<CollectionKey> {
    return this.begun({ type: 'ReviewFlagged', data: { why: 'no_word_from_rail' } });
  }

  /** A collection with these events. */
  async begun(...after: readonly CollectionEvent[]): Promise<CollectionKey> {
    const key = { mode: 'demo', merchantId: randomUUID(), reference: 'INV-1' } as const;
    await this.pipeline.begin(stepOf(key), [collectionIntent({ ...key, amountMinor }), ...after]);
    return key;
  }

  /** The rail reports this amount as paid. */
  async railPays(key: CollectionKey, paidMinor: bigint, receipt = 'FROMRAIL01'): Promise<void> {
    const paid = { kind: 'paid', resultCode: '0', receipt } as const;
    const verdict = { ...paid, amountMinor: paidMinor };
    await this.pipeline.run(stepOf(key), (state) =>
      decideConfirmCollection({ by: 'query', railReference: 'ws_1', verdict }, state, undefined),
    );
  }

  eventsOf(key: CollectionKey): Promise<RecordedEvent<CollectionEvent>[]> {
    return this.store.readStream<CollectionEvent>(collectionStream(key));
  }

  /** The types of the events after the intent and the flag. */
  async typesOf(key: CollectionKey): Promise<string[]> {
    return (await this.eventsOf(key)).map(({ type }) => type).slice(2);
  }

  /** The person who declined or withdrew each of the collection's proposals, and the reason. */
  async endsOf(key: CollectionKey): Promise<(readonly (string | null)[])[]> {
    const proposals = await findReviewProposals(this.server.database, collectionStream(key));
    return proposals.map(({ endedBy, endReason }) => [endedBy, endReason]);
  }

  /** Makes claims of the collection's proposals older, as time does. */
  async ageClaims(key: CollectionKey, by: string): Promise<void> {
    await this.server.database.query(
      `update records.review_proposals set claimed_at = claimed_at - $2::interval where stream = $1`,
      [collectionStream(key), by],
    );
  }

  /** The outcomes of the collection's proposals, the oldest first; null for the open one. */
  async outcomesOf(key: CollectionKey): Promise<(string | null)[]> {
    const proposals = await findReviewProposals(this.server.database, collectionStream(key));
    return proposals.map(({ outcome }) => outcome);
  }
}

function stepOf(key: CollectionKey) {
  return { decider: collectionDecider, stream: collectionStream(key), metadata: railMetadata };
}
