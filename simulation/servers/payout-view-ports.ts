import { type Minor, msFromInstant } from '#domain/kernel';
import { PostedCredits, type Wallet } from '#domain/ledger';
import { PaidNumbers, PayoutOrders, type PayoutTerms, PayoutTermsDirectory } from '#domain/payouts';
import { type Database } from '#infra/postgres';
import { type PayoutStep } from '#views/payouts';
import { type Life } from '../core/life.js';
import { earliestOf, type PayoutTables, type PhoneRow } from './payout-records.js';
import { statement } from './record-ports.js';
import { type BatchRow, isBehind } from './payout-views.js';
import { type ViewTables } from './views.js';

/** The value of apps/worker. */
export const numbersOldAfterMs = 86_400_000;

interface Tables {
  readonly views: ViewTables;
  readonly payouts: PayoutTables;
}

/** A stream, and since when it lacks a step. */
type Abandoned = readonly [string, number];

/** Returns the payouts that lack a step between themselves and their wallet's reservations, and since when. */
export function abandonedPayouts({ payouts, rows }: ViewTables): readonly Abandoned[] {
  const found = new Map<string, number>();
  for (const { stream, step, sinceMs } of payouts.open.values()) {
    const isAlone = (rows.get(stream)?.batch_reference ?? null) === null;
    const isKept = rows.get(stream)?.under_review === true;
    if ((step === 'requested' && isAlone && !isKept) || step === 'paid') found.set(stream, sinceMs);
  }
  for (const [source, reservedMs] of payouts.openReservations) {
    const stream = source.replace(/~late$/, '');
    const { status, under_review: isKept } = rows.get(stream) ?? {};
    if (status !== 'failed' && (status !== 'rejected' || isKept)) continue;
    found.set(stream, Math.min(reservedMs, found.get(stream) ?? reservedMs));
  }
  return [...found].sort(([, one], [, other]) => one - other);
}

/** Returns the batches whose payouts have not followed yet, and since when. */
export function batchesBehind({
  payouts,
  rows,
}: ViewTables): readonly (readonly [string, number])[] {
  const keptOf = (stream: string): number =>
    [...rows.values()].filter(
      ({ batch_reference: batch, under_review: isKept }) =>
        isKept && batch !== null && stream.endsWith(`:batch~${batch}`),
    ).length;
  return [...payouts.batches]
    .filter(([stream, row]) => isBehind(row) && !waitsForOperators(row, keptOf(stream)))
    .map(([stream, { sinceMs }]) => [stream, sinceMs] as const)
    .sort(([, one], [, other]) => one - other);
}

/** True if all that lacks its step is kept for review (PAY-61). */
function waitsForOperators({ step, rejected, recorded }: BatchRow, kept: number): boolean {
  if (step === 'requested') return kept > 0;
  return step === 'rejected' && rejected + kept >= recorded;
}

/** Returns why a number is kept, as far as the views know; `isOld` if no request can be using it any more. */
function standingOf(id: string, { stream }: PhoneRow, { rows }: ViewTables): string {
  const row = rows.get(stream);
  if (!row) return 'unknown';
  if (['completed', 'failed', 'rejected'].includes(row.status)) return 'over';
  return id === `${stream} ${row.phone_hmac ?? ''}` ? 'needed' : 'not_its_own';
}

/** Returns when a look at the numbers would find one to delete. */
export function numbersDueMs(payouts: PayoutTables, views: ViewTables): number | undefined {
  return earliestOf(
    [...payouts.phones].flatMap(([id, row]) => {
      const standing = standingOf(id, row, views);
      if (standing === 'needed') return [];
      return [standing === 'over' ? row.keptAtMs : row.keptAtMs + numbersOldAfterMs + 1];
    }),
  );
}

type OpenPayoutsQuery = readonly [
  step: PayoutStep,
  olderThanMs: number,
  after: bigint,
  limit: number,
];

type ApprovedLook = readonly [
  ...[mode: string, channel: string, after: bigint, limit: number],
  floatMinor: bigint | null,
];

/** Postgres for the statements that the worker's steps send themselves, by the statements' names. */
export function simulatedDatabase(life: Life, { views, payouts }: Tables): Database {
  const dueOf = (found: readonly Abandoned[], values: readonly unknown[]): object[] => {
    const [olderThanMs, limit] = values as unknown as readonly [number, number];
    const untilMs = life.world.nowMs - olderThanMs;
    return found
      .filter(([, sinceMs]) => sinceMs <= untilMs)
      .slice(0, limit)
      .map(([stream]) => ({ stream }));
  };
  const answers: Readonly<Record<string, (values: readonly unknown[]) => object[]>> = {
    'open-payouts-of-step': (values) => {
      const [step, olderThanMs, after, limit] = values as unknown as OpenPayoutsQuery;
      const untilMs = life.world.nowMs - olderThanMs;
      return views.payouts
        .ofStep(step)
        .filter(({ sinceMs, position }) => sinceMs <= untilMs && position > after)
        .sort((a, b) => Number(a.position - b.position))
        .slice(0, limit);
    },
    'payouts-approved': (values) => {
      const [mode, channel, after, limit, floatMinor] = values as unknown as ApprovedLook;
      const isCovered = (stream: string): boolean => {
        const { waiting_since: since = null, amount_minor: minor = 0n } =
          views.rows.get(stream) ?? {};
        return since === null || (floatMinor !== null && minor <= floatMinor);
      };
      if (views.payouts.isPaused) return [];
      return views.payouts
        .ofStep('approved')
        .filter((row) => row.mode === mode && row.channel === channel && row.position > after)
        .filter(({ stream }) => isCovered(stream))
        .sort((a, b) => Number(a.position - b.position))
        .slice(0, limit)
        .map((row) => ({ ...row, wasOrdered: payouts.wasGiven(row.stream) }));
    },
    'payouts-float-missing': (values) => {
      const [forMs, after, limit] = values as unknown as readonly [number, bigint, number];
      const untilMs = life.world.nowMs - forMs;
      return views.payouts
        .ofStep('approved')
        .filter(
          ({ stream, position }) => position > after && waitingSinceMs(views, stream) <= untilMs,
        )
        .sort((a, b) => Number(a.position - b.position))
        .slice(0, limit);
    },
    'payout-numbers-kept': (values) => {
      const [after, oldAfterMs, limit] = values as unknown as readonly [string, number, number];
      return [...payouts.phones]
        .filter(([id]) => id > after)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .slice(0, limit)
        .map(([id, row]) => {
          const isOld = row.keptAtMs < life.world.nowMs - oldAfterMs;
          return { id, stream: row.stream, isOld, standing: standingOf(id, row, views) };
        });
    },
    'payouts-to-settle': (values) => dueOf(abandonedPayouts(views), values),
    'payout-batches-to-settle': (values) => dueOf(batchesBehind(views), values),
  };
  const query = ({ name }: { readonly name: string }, values: readonly unknown[]) => {
    const answer = answers[name];
    if (!answer) throw new TypeError(`no statement ${name} is simulated`);
    return statement(life, `looks for ${name}`, () => answer(values));
  };
  return { query } as unknown as Database;
}

/** Returns since when the payout waits for the float; infinite if it does not. */
export function waitingSinceMs({ rows }: ViewTables, stream: string): number {
  const since = rows.get(stream)?.waiting_since ?? null;
  return since === null ? Number.POSITIVE_INFINITY : msFromInstant(since);
}

export class SimulatedCredits extends PostedCredits {
  constructor(
    private readonly life: Life,
    private readonly views: ViewTables,
  ) {
    super();
  }

  override creditsOf({ accountNo }: Wallet): Promise<Minor> {
    return statement(
      this.life,
      `reads the credits of ${accountNo}`,
      () => this.views.credits.get(`wallet:${accountNo}`) ?? 0n,
    );
  }
}

export class SimulatedPaidNumbers extends PaidNumbers {
  constructor(
    private readonly life: Life,
    private readonly views: ViewTables,
  ) {
    super();
  }

  override hasPaid({ accountNo }: Wallet, phoneHmac: string): Promise<boolean> {
    return statement(this.life, `looks whether ${accountNo} has paid the number`, () =>
      this.views.payouts.paidNumbers.has(`${accountNo} ${phoneHmac}`),
    );
  }
}

/** The orders that the records know, as libs/views/payouts reads them. */
export class SimulatedOrders extends PayoutOrders {
  constructor(
    private readonly life: Life,
    private readonly tables: PayoutTables,
  ) {
    super();
  }

  override givenOf(streams: readonly string[]): Promise<ReadonlySet<string>> {
    return statement(
      this.life,
      'looks what the rail was given',
      () => new Set(streams.filter((stream) => this.tables.wasGiven(stream))),
    );
  }
}

export class SimulatedTerms extends PayoutTermsDirectory {
  constructor(
    private readonly life: Life,
    private readonly terms: PayoutTerms,
  ) {
    super();
  }

  override termsOf(): Promise<PayoutTerms> {
    return statement(this.life, 'reads the terms of payouts', () => this.terms);
  }
}
