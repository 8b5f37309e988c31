import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type Leg, type ReservationEvent } from '#domain/ledger';
import { MemoryLog } from '#testing';
import { type CorrectionEvent, correctionStream } from './correction.events.js';
import { leg, startProcess, taking, wallet } from '../test/scene.js';

/** Thrown when the process dies, so that its pending work never finishes. */
class Died extends Error {}

type Step =
  | { readonly kind: 'collect'; readonly amountMinor: bigint }
  | {
      readonly kind: 'confirm';
      readonly correction: number;
      readonly who: 'joseph' | 'wanjiru';
      /** The number of calls after which the process dies; undefined if it does not. */
      readonly diesAfter: number | undefined;
    }
  | {
      /** The proposer withdraws it. */
      readonly kind: 'end';
      readonly correction: number;
      readonly diesAfter: number | undefined;
    }
  | { readonly kind: 'complete'; readonly correction: number };

const corrections = 4;
const amount = fc.bigInt({ min: 1n, max: 100n });
const correction = fc.nat({ max: corrections - 1 });
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('collect' as const), amountMinor: amount }),
  fc.record({
    kind: fc.constant('confirm' as const),
    correction,
    who: fc.constantFrom('joseph' as const, 'wanjiru' as const),
    diesAfter: fc.option(fc.nat({ max: 8 }), { nil: undefined }),
  }),
  fc.record({
    kind: fc.constant('end' as const),
    correction,
    diesAfter: fc.option(fc.nat({ max: 4 }), { nil: undefined }),
  }),
  fc.record({ kind: fc.constant('complete' as const), correction }),
);
/** The last one is a reversal by the rail, which may overdraw. The one before it gives money. */
const proposals = fc.tuple(amount, amount, amount, amount);

const id = (number: number): string => `c-${number}`;
const source = (number: number): string => correctionStream({ mode: 'demo', id: id(number) });

describe('any order of operators, customers and crashes', () => {
  it('no wallet is overdrawn, nothing stays reserved without its posting, and legs sum to zero', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        proposals,
        fc.array(step, { minLength: 1, maxLength: 12 }),
        fc.nat({ max: 50 }),
        async (scheduler, amounts, steps, initial) => {
          const log = new MemoryLog();
          let creditsMinor = BigInt(initial);
          let made = 0;
          const shared = { log, credits: () => creditsMinor, nextId: () => `id-${(made += 1)}` };
          const calm = startProcess(shared);
          for (const [number, amountMinor] of amounts.entries())
            await calm.propose(id(number), 'asha', termsOf(number, amountMinor));

          const run = async (one: Step): Promise<void> => {
            if (one.kind === 'collect') {
              await scheduler.schedule(Promise.resolve(), 'collect');
              creditsMinor += one.amountMinor;
              return;
            }
            let calls = 0;
            const diesAfter = one.kind === 'complete' ? undefined : one.diesAfter;
            const at = async (what: string): Promise<void> => {
              await scheduler.schedule(Promise.resolve(), what);
              if (diesAfter !== undefined && (calls += 1) > diesAfter) throw new Died();
            };
            const own = startProcess({ ...shared, at });
            if (one.kind === 'complete') await own.complete(id(one.correction));
            else if (one.kind === 'end') await own.end(id(one.correction), 'withdrawn', 'asha');
            else await own.confirm(id(one.correction), one.who);
          };
          const running = Promise.allSettled(steps.map(run));
          await scheduler.waitFor(running);
          for (const settled of await running)
            if (settled.status === 'rejected' && !(settled.reason instanceof Died))
              throw settled.reason;

          // The worker finishes the work that crashes left.
          for (const number of amounts.keys()) {
            const left = await calm.reservations.find(wallet, source(number), undefined);
            if (left) expect(await calm.complete(id(number))).toMatchObject({ ok: true });
          }
          judge(log, creditsMinor);
        },
      ),
      { numRuns: 300 },
    );
  });
});

function termsOf(number: number, amountMinor: bigint) {
  if (number === corrections - 2)
    return taking(1n, { legs: [leg('wallet:1001', amountMinor), leg('fees', -amountMinor)] });
  if (number === corrections - 1)
    return taking(amountMinor, { receipt: 'NLK8RU72TW', mayOverdraw: true });
  return taking(amountMinor);
}

function judge(log: MemoryLog, creditsMinor: bigint): void {
  const events = log.events as unknown as readonly (CorrectionEvent | ReservationEvent)[];
  const posted = log.events.filter(({ type }) => type === 'CorrectionPosted');
  expect(new Set(posted.map(({ stream }) => stream)).size).toBe(posted.length);
  const ended = log.events.filter(({ type }) => type === 'CorrectionEnded');
  const ofEnded = new Set(ended.map(({ stream }) => stream));
  expect(ofEnded.size).toBe(ended.length);
  // A correction is posted or ended, never both.
  expect(posted.filter(({ stream }) => ofEnded.has(stream))).toEqual([]);
  const standing = new Map<string, number>();
  let totalMinor = 0n;
  let ownCredits = creditsMinor;
  let debitsMinor = 0n;
  for (const event of events) {
    if (event.type === 'CorrectionPosted') {
      expect(sum(event.data.legs)).toBe(0n);
      const own = sum(event.data.legs.filter(({ account }) => account === 'wallet:1001'));
      if (own > 0n) ownCredits += own;
      else debitsMinor -= own;
    }
    if (event.type === 'ReservationReleased') {
      totalMinor -= event.data.amountMinor;
      expect(event.data.totalMinor).toBe(totalMinor);
      standing.set(event.data.source, (standing.get(event.data.source) ?? 0) - 1);
    }
    if (event.type !== 'FundsReserved') continue;
    totalMinor += event.data.amountMinor;
    standing.set(event.data.source, (standing.get(event.data.source) ?? 0) + 1);
    expect(event.data.totalMinor).toBe(totalMinor);
    // Only a movement by the rail may take more than is available. The view never included the corrections' own
    // credits.
    const isRails = event.data.source === source(corrections - 1);
    if (!isRails) expect(totalMinor).toBeLessThanOrEqual(creditsMinor);
  }
  const sources = [...standing.keys()];
  // A posted correction has one reservation, and an ended one has none.
  for (const [each, reservations] of standing)
    expect([each, reservations]).toEqual([each, ofEnded.has(each) ? 0 : 1]);
  for (const each of sources.filter((of) => !ofEnded.has(of)))
    expect(posted.map(({ stream }) => stream)).toContain(each);
  // Every debit was reserved first, and every reservation was debited.
  expect(totalMinor).toBe(debitsMinor);
  if (!sources.includes(source(corrections - 1)))
    expect(debitsMinor).toBeLessThanOrEqual(ownCredits);
}

const sum = (legs: readonly Leg[]): bigint =>
  legs.reduce((total, { amountMinor }) => total + amountMinor, 0n);
