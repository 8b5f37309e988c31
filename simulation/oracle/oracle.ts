import { type PushRequest } from '#domain/rails';
import {
  type Collection,
  collectionDecider,
  type CollectionEvent,
  type Initiated,
  type InitiateRefusal,
  viewOf,
} from '#domain/collections';
import { fold, type RecordedEvent } from '#domain/event-sourcing';
import { type Result } from '#domain/kernel';
import { isBalanced, type Leg } from '#domain/ledger';
import { type PayoutEvent } from '#domain/payouts';
import { railQueryLease } from '#views/rail-queries';
import { type Reception } from '#edges/rails';
import { type Batch } from '#views/projection';
import { readToken } from '#shared/signing';
import { type Life } from '../core/life.js';
import { type World } from '../core/world.js';
import { streamOf } from '../names.js';
import { type Fixture, keyring } from '../processes/parts.js';
import { maxLateMs } from '../servers/overdue.js';
import { isOfBatch, isOfPayout, isPause, isReservation } from '../servers/payout-views.js';
import { isCorrection } from '../servers/views.js';
import { isArchived, isInInbox } from './kept.js';
import { invariants } from './invariants.js';
import { PayoutOracle } from './payout-oracle.js';
import { ViewCheck } from './view-check.js';

/** Checks everything that becomes durable and every answer that is given. */
export class Oracle {
  readonly payouts: PayoutOracle;
  readonly #states = new Map<string, Collection>();
  readonly #pushes = new Map<string, number>();
  readonly #postings = new Map<string, number>();
  readonly #intentAtMs = new Map<string, number>();
  readonly #underWay = new Map<string, Life>();
  readonly #handedOutUntilMs = new Map<string, number>();
  #views: ViewCheck | undefined;
  #fixture: Fixture | undefined;

  constructor(private readonly world: World) {
    this.payouts = new PayoutOracle(world, () => this.fixture);
  }

  /** Connects the servers once they exist. */
  watch(fixture: Fixture): void {
    this.#fixture = fixture;
    this.#views = new ViewCheck(this.world, fixture.log);
  }

  get fixture(): Fixture {
    if (!this.#fixture) throw new TypeError('the oracle watches nothing yet');
    return this.#fixture;
  }

  stateOf(stream: string): Collection {
    return this.#states.get(stream) ?? collectionDecider.initial;
  }

  railReferenceOf(stream: string): string | undefined {
    const state = this.stateOf(stream);
    return state.status === 'none' ? undefined : viewOf(state).railReference;
  }

  appended(events: readonly RecordedEvent[]): void {
    for (const event of events) {
      if ('legs' in event.data) this.payouts.wallets.posted(event.data.legs as readonly Leg[]);
      if (isReservation(event)) this.payouts.wallets.reservation(event);
      else if (isOfPayout(event)) this.#appendedToPayout(event);
      else if (isPause(event)) this.payouts.paused(event);
      else if (!isCorrection(event) && !isOfBatch(event))
        this.#appended(event as RecordedEvent<CollectionEvent>);
    }
    this.payouts.batches.appended(events);
  }

  #appendedToPayout(event: RecordedEvent<PayoutEvent>): void {
    this.payouts.appended(event);
    if ('legs' in event.data && !isBalanced(event.data.legs))
      this.world.violate(invariants.balancedLegs, `those of ${event.type} do not`);
  }

  #appended(event: RecordedEvent<CollectionEvent>): void {
    const before = this.stateOf(event.stream);
    const after = fold(collectionDecider, [event], before);
    this.#states.set(event.stream, after);
    if (before.status === 'completed' && after.status !== 'completed')
      this.world.violate(
        invariants.completedStays,
        `${event.stream} was completed and is ${after.status} after ${event.type}`,
      );
    this.#time(event);
    if ('legs' in event.data) this.#legs(event);
  }

  pushed({ stream }: PushRequest): void {
    const count = (this.#pushes.get(stream) ?? 0) + 1;
    this.#pushes.set(stream, count);
    if (count > 1) this.world.violate(invariants.onePush, `the rail got ${count} for ${stream}`);
  }

  committed(batch: Batch): void {
    this.#views?.committed(batch, this.fixture.views);
  }

  /** Records that a worker received a question, for the time of its lease, or gave it back. */
  handedOut(stream: string, attempt: number, isFree: boolean): void {
    const question = `question ${attempt} about ${stream}`;
    const untilMs = this.#handedOutUntilMs.get(question) ?? 0;
    const { nowMs } = this.world;
    this.#handedOutUntilMs.set(question, isFree ? 0 : nowMs + railQueryLease.ms);
    if (!isFree && nowMs < untilMs)
      this.world.violate(invariants.oneAsks, `${question} was given to two`);
  }

  began(request: string, life: Life): void {
    this.#underWay.set(request, life);
  }

  ended(request: string): void {
    this.#underWay.delete(request);
  }

  defect(what: string): void {
    this.world.violate(invariants.noDefect, what);
  }

  /** Checks an answer to a merchant about a reference, at the moment at which the API gives it. */
  answered(request: string, reference: string, result: Result<Initiated, InitiateRefusal>): void {
    const state = this.stateOf(streamOf(reference));
    if (!result.ok) {
      this.world.tell(() => `${request} is answered: ${result.refusal}`);
      if (state.status === 'none') this.#told(reference, 'it was refused by the rail');
      return;
    }
    const { view } = result.value;
    this.world.tell(() => `${request} is answered: 202 ${view.status}`);
    if (state.status === 'none') this.#told(reference, view.status);
    else if (view.status === 'completed' && state.status !== 'completed')
      this.#told(reference, view.status);
    else if (
      view.railReference !== undefined &&
      this.railReferenceOf(streamOf(reference)) !== view.railReference
    )
      this.#told(reference, view.railReference);
  }

  /** Checks the outcome of a callback, at the moment at which the API gives it. */
  received(request: string, body: Buffer, token: string, reception: Reception): void {
    this.ended(request);
    if (reception !== 'applied' && reception !== 'inbox') return;
    const read = readToken(keyring, token);
    const why =
      read.kind === 'stream' ? this.#lack(read.stream, body, reception) : 'its token opens nothing';
    if (why !== undefined)
      this.world.violate(invariants.durableAcknowledgements, `${request} was ${reception}: ${why}`);
  }

  finish(): void {
    this.#views?.finish(this.fixture.views);
    for (const [request, life] of this.#underWay)
      if (!life.isOver) this.world.violate(invariants.requestsEnd, `${request} is not`);
  }

  #lack(token: string, body: Buffer, reception: 'applied' | 'inbox'): string | undefined {
    const { records } = this.fixture;
    // Floats are reported again and again. In a payout's token, the purpose and the channel come before the stream.
    if (token.startsWith('float/')) return undefined;
    const stream = token.startsWith('shared ')
      ? this.#streamNamedIn(body)
      : (token.split(' ').at(-1) ?? '');
    const isKept =
      reception === 'inbox'
        ? isInInbox(records.inbox.values(), stream, body)
        : isArchived(records.reports.values(), stream, body);
    if (!isKept) return `the ${reception === 'inbox' ? 'inbox' : 'archive'} does not have it`;
    if (token.startsWith('payout/'))
      return reception === 'applied' ? this.payouts.lack(stream, body) : undefined;
    if (reception === 'inbox' || !body.includes('"ResultCode":0,')) return undefined;
    const { status } = this.stateOf(stream);
    return status === 'none' || status === 'pending' || status === 'failed'
      ? `it tells of a payment, and ${stream} is ${status}`
      : undefined;
  }

  /** Returns the collection that a callback at the shared address names. */
  #streamNamedIn(body: Buffer): string {
    const { pushes } = this.fixture.airtel;
    return pushes.find(({ id }) => body.includes(`"id":"${id}"`))?.stream ?? '';
  }

  /**
   * Checks times: a single query fails nothing. A timeout is flagged only after the rail was asked a last time, or took
   * no question for a day.
   */
  #time({ stream, type, data }: RecordedEvent<CollectionEvent>): void {
    const { world } = this;
    const { nowMs } = world;
    if (type === 'CollectionIntentRecorded') this.#intentAtMs.set(stream, nowMs);
    const prompt = this.fixture.books.pushOf(stream);
    const isAirtels = this.fixture.airtel.pushOf(stream) !== undefined;
    // Airtel can be asked by our own reference, M-Pesa only by its own.
    if (!prompt || (!isAirtels && this.railReferenceOf(stream) === undefined)) return;
    if (type === 'RailDeclined' && data.by === 'query' && prompt.heardDeclines < 2)
      world.violate(invariants.declineIsRepeated, `${stream} failed by ${prompt.heardDeclines}`);
    if (type !== 'ReviewFlagged' || data.why !== 'no_word_from_rail') return;
    const dueAtMs = (this.#intentAtMs.get(stream) ?? 0) + this.fixture.work.reviewAfterMs;
    if ((prompt.heardAtMs ?? 0) < dueAtMs && nowMs < dueAtMs + maxLateMs)
      world.violate(invariants.askedBeforeReview, `${stream} was listed without a last answer`);
    if (isAirtels && prompt.paidMinor !== undefined && world.faults.areOver)
      world.violate(invariants.askableIsHeard, `${stream} was paid`);
  }

  /** Checks that the money came over the rail that the collection was pushed on. */
  #clearing(stream: string, legs: readonly Leg[]): void {
    const state = this.stateOf(stream);
    const own = state.status === 'none' ? undefined : `rail-clearing:${state.intent.channel}`;
    const other = legs.find(
      ({ account }) => account.startsWith('rail-clearing:') && account !== own,
    );
    if (other) this.world.violate(invariants.rightMoney, `${other.account} pays for ${stream}`);
  }

  #told(reference: string, what: string): void {
    this.world.violate(invariants.durableAnswers, `${reference} was told ${what}`);
  }

  #legs(event: RecordedEvent<CollectionEvent>): void {
    if (!('legs' in event.data)) return;
    const { stream, type } = event;
    const { legs, amountMinor } = event.data;
    if (!isBalanced(legs)) this.world.violate(invariants.balancedLegs, `those of ${type} do not`);
    this.#clearing(stream, legs);
    const isPosting = legs.some(
      ({ account, amountMinor: leg }) => account.startsWith('wallet:') && leg > 0n,
    );
    if (isPosting || type === 'WalletPosted') {
      const count = (this.#postings.get(stream) ?? 0) + 1;
      this.#postings.set(stream, count);
      if (count > 1) this.world.violate(invariants.onePosting, `${stream} has ${count}`);
    }
    const prompt = this.fixture.books.pushOf(stream);
    if (prompt?.paidMinor === undefined)
      this.world.violate(invariants.rightMoney, `${amountMinor} for ${stream}, which was not paid`);
  }
}
