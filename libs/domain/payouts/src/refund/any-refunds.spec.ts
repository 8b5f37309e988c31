import { collectionDecider, type CollectionEvent, collectionStream } from '#domain/collections';
import { fold, type RecordedEvent } from '#domain/event-sourcing';
import { type Verdict } from '#domain/rails';
import { MemoryLog } from '#testing';
import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  Allowances,
  collected,
  NotingRail,
  phone,
  Phones,
  startProcess,
  streamOf,
  wallet,
  type World,
} from '../../test/scene.js';
import { payoutDecider } from '../payout.evolve.js';
import { type PayoutEvent } from '../payout.events.js';

const postedMinor = 10_000n;
const { merchantId, mode } = wallet;
const collection = collectionStream({ merchantId, mode, reference: 'INV-1' });
const references = ['R-1', 'R-2', 'R-3', 'R-4'] as const;

interface Act {
  readonly does: 'ask' | 'approve' | 'reject' | 'cancel' | 'send' | 'pay' | 'decline' | 'complete';
  readonly reference: (typeof references)[number];
  /** Absent for everything that is left. */
  readonly amountMinor: bigint | undefined;
  /** The number of calls after which the process dies. */
  readonly calls: number;
}

const act: fc.Arbitrary<Act> = fc.record({
  does: fc.constantFrom(
    ...(['ask', 'ask', 'ask', 'approve', 'approve', 'approve', 'send', 'send', 'send'] as const),
    ...(['pay', 'decline', 'reject', 'cancel', 'complete'] as const),
  ),
  reference: fc.constantFrom(...references),
  amountMinor: fc.constantFrom(undefined, 2000n, 4000n, 7000n),
  calls: fc.oneof(
    { weight: 3, arbitrary: fc.constant(1000) },
    { weight: 1, arbitrary: fc.nat(15) },
  ),
});

/** Everything that outlives a process, with a rail that keeps its word: it pays no order that it declined. */
class Shop {
  readonly log = new MemoryLog();
  readonly rail = new NotingRail();
  readonly #said = new Map<string, 'pay' | 'decline'>();
  readonly #world: World;
  #ids = 0;

  constructor() {
    this.rail.outcome = { kind: 'accepted', conversationId: 'AG_1' };
    this.#world = {
      log: this.log,
      rail: this.rail,
      phones: new Phones(),
      allowances: new Allowances(),
      credits: () => 50_000n,
      nextId: () => `id-${(this.#ids += 1)}`,
    };
  }

  /** The process of the act may die, and the act may be refused. */
  async take({ does, reference, amountMinor, calls }: Act): Promise<void> {
    let made = 0;
    const process = startProcess(this.#world, () => {
      made += 1;
      return made > calls ? Promise.reject(new Error('died')) : Promise.resolve();
    });
    const part = amountMinor === undefined ? {} : { amountMinor };
    switch (does) {
      case 'ask':
        return ended(process.refund(reference, { collection: 'INV-1', to: phone, ...part }));
      case 'approve':
      case 'reject':
        return ended(process.decide(reference, { verdict: does, holder: 'joseph' }));
      case 'cancel':
      case 'send':
      case 'complete':
        return ended(process[does](reference));
      case 'pay':
      case 'decline':
        return ended(this.#report(process, reference, does));
    }
  }

  /** Delivers every report once more, and takes the steps that dead processes left. */
  async settle(): Promise<void> {
    const process = startProcess(this.#world);
    for (const [reference, said] of this.#said) await this.#report(process, reference, said);
    for (const reference of references) await process.complete(reference);
  }

  /** The amounts of the orders that the rail has not declined. */
  given(): readonly bigint[] {
    return this.rail.orders
      .filter(({ stream }) => !references.some((one) => this.#isDeclined(one, stream)))
      .map(({ amountMinor }) => amountMinor);
  }

  refunds() {
    const state = fold(collectionDecider, this.#eventsOf<CollectionEvent>(collection));
    if (state.status !== 'completed') throw new TypeError(state.status);
    return state.refunds;
  }

  /** The sum of the refunds with one of the statuses. */
  sumOf(...statuses: readonly string[]): bigint {
    const payouts = references.map((reference) =>
      fold(payoutDecider, this.#eventsOf<PayoutEvent>(streamOf(reference))),
    );
    return payouts.reduce(
      (sum, state) =>
        state.status !== 'none' && statuses.includes(state.status)
          ? sum + state.request.amountMinor
          : sum,
      0n,
    );
  }

  #isDeclined(reference: string, stream: string): boolean {
    return stream === streamOf(reference) && this.#said.get(reference) === 'decline';
  }

  #eventsOf<E extends CollectionEvent | PayoutEvent>(stream: string) {
    const events: readonly unknown[] = this.log.events.filter((event) => event.stream === stream);
    return events as readonly RecordedEvent<E>[];
  }

  async #report(
    process: ReturnType<typeof startProcess>,
    reference: string,
    asked: 'pay' | 'decline',
  ): Promise<void> {
    const order = this.rail.orders.find(({ stream }) => stream === streamOf(reference));
    if (!order) return;
    const said = this.#said.get(reference) ?? asked;
    this.#said.set(reference, said);
    const verdict: Verdict =
      said === 'pay'
        ? { kind: 'paid', resultCode: '0', amountMinor: order.amountMinor }
        : { kind: 'declined', failureCode: 'rail_declined' };
    await process.report(reference, { verdict });
  }
}

const ended = (work: Promise<unknown>): Promise<void> =>
  work.then(
    () => undefined,
    () => undefined,
  );

const sum = (amounts: readonly bigint[]) => amounts.reduce((total, minor) => total + minor, 0n);

it('no more than the collected money is given back, after any requests and process deaths (REF-4)', async () => {
  let mostSent = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(act, { minLength: 20, maxLength: 60, size: 'max' }), async (acts) => {
      const shop = new Shop();
      await collected(shop.log, 'INV-1', postedMinor);
      for (const one of acts) {
        await shop.take(one);
        expect(sum(shop.given())).toBeLessThanOrEqual(postedMinor);
      }
      await shop.settle();
      const { openMinor, refundedMinor } = shop.refunds();
      expect(openMinor).toBe(shop.sumOf('reserved', 'approved', 'started'));
      expect(refundedMinor).toBe(shop.sumOf('completed'));
      expect(openMinor + refundedMinor).toBeLessThanOrEqual(postedMinor);
      mostSent = Math.max(mostSent, shop.rail.orders.length);
    }),
    { numRuns: 300 },
  );
  // The acts do reach the rail.
  expect(mostSent).toBeGreaterThan(0);
});
