import { collectionDecider, type CollectionEvent, collectionStream } from '#domain/collections';
import { fold, type RecordedEvent } from '#domain/event-sourcing';
import { type Verdict } from '#domain/rails';
import { type AtCall, MemoryLog } from '#testing';
import {
  Allowances,
  collected,
  NotingRail,
  Phones,
  startProcess,
  wallet,
  type World,
} from './scene.js';

/** The names in the rail's answer to a reversal, which reports about it repeat. */
export const ofRail = { originatorConversationId: 'rail-1' };
export const paid = {
  kind: 'paid',
  resultCode: '0',
  receipt: 'NLK8RU72TW',
  amountMinor: 10_000n,
} as const satisfies Verdict;
export const declined = {
  kind: 'declined',
  failureCode: 'rail_float_insufficient',
} as const satisfies Verdict;
export const approve = { verdict: 'approve', holder: 'joseph' } as const;

/** A merchant with the completed collection INV-1 of 10,000, and a rail that reverses it. */
export class RefundScene {
  readonly log = new MemoryLog();
  readonly rail = new NotingRail();
  readonly phones = new Phones();
  #ids = 0;

  private constructor() {
    this.rail.outcome = { kind: 'accepted', conversationId: 'AG_1', ...ofRail };
  }

  static async begin(): Promise<RefundScene> {
    const scene = new RefundScene();
    await collected(scene.log, 'INV-1', 10_000n);
    return scene;
  }

  process(more: Partial<World> = {}, at?: AtCall): ReturnType<typeof startProcess> {
    const { log, rail, phones } = this;
    const world = {
      log,
      rail,
      phones,
      allowances: new Allowances(),
      credits: () => 50_000n,
      nextId: () => `id-${(this.#ids += 1)}`,
      feeBasisPoints: 150,
      ...more,
    };
    return startProcess(world, at);
  }

  eventsOf(stream: string): readonly RecordedEvent[] {
    return this.log.events.filter((event) => event.stream === stream);
  }

  /** The refunds of INV-1. */
  refunds() {
    const { merchantId, mode } = wallet;
    const stream = collectionStream({ merchantId, mode, reference: 'INV-1' });
    const events = this.eventsOf(stream) as unknown as RecordedEvent<CollectionEvent>[];
    const state = fold(collectionDecider, events);
    if (state.status !== 'completed') throw new TypeError(state.status);
    return state.refunds;
  }

  sums() {
    const { openMinor, refundedMinor } = this.refunds();
    return { openMinor, refundedMinor };
  }
}
