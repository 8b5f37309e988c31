import {
  type CorrectionEnded,
  type CorrectionEvent,
  correctionEventTypes,
  correctionKeyOf,
  type CorrectionPosted,
  type CorrectionProposed,
  debitedWallet,
} from '#domain/corrections';
import { type RecordedEvent } from '#domain/event-sourcing';
import { type ReservationEvent, reservationEventTypes, reservedWalletOf } from '#domain/ledger';
import { lateSourceOf } from '#domain/payouts';
import { type Queryable } from '#infra/postgres';
import { type BalanceCheck } from './balance-check.js';
import { type Differences } from './difference.js';
import { instantOf } from './stored-lines.js';
import {
  compareSmallTable,
  readSmallTable,
  type SmallRow,
  type SmallTable,
  type StoredTable,
} from './table-check.js';

const correctionsTable: SmallTable = {
  name: 'corrections',
  keyIs: 'stream',
  columns: [
    ...['stream', 'id', 'merchant_id', 'mode', 'currency'].map((name) => ({ name })),
    { name: 'legs', sql: `array_to_string(legs, ' ')` },
    ...['why', 'corrects', 'receipt', 'may_overdraw', 'proposed_by'].map((name) => ({ name })),
    { name: 'proposed_at', sql: instantOf('proposed_at') },
    { name: 'position' },
    { name: 'confirmed_by' },
    { name: 'posted_at', sql: instantOf('posted_at') },
    { name: 'ended_at', sql: instantOf('ended_at') },
    { name: 'outcome' },
  ],
};
const reservationsTable: SmallTable = {
  name: 'reservations',
  keyIs: 'account',
  columns: [
    { name: 'account', sql: `mode || ':' || currency || ':wallet:' || account_no` },
    { name: 'total_minor' },
  ],
};
const openReservationsTable: SmallTable = {
  name: 'open_reservations',
  keyIs: 'stream',
  columns: [
    { name: 'source' },
    { name: 'stream' },
    { name: 'amount_minor' },
    { name: 'reserved_at', sql: instantOf('reserved_at') },
    { name: 'position' },
  ],
};

/**
 * Compares corrections and reservations with the log, and the log with its own rules. A running total is the sum of
 * reservations and releases. A debit of a wallet was reserved before, with the same amount. No wallet was debited by
 * more than was ever reserved. Memory: one entry per correction and per wallet.
 */
export class CorrectionsCheck {
  readonly #corrections = new Map<string, SmallRow>();
  readonly #totals = new Map<string, bigint>();
  readonly #open = new Map<string, SmallRow>();
  #stored: Readonly<Record<'corrections' | 'reservations' | 'open', StoredTable>> | undefined;

  constructor(private readonly differences: Differences) {}

  get corrections(): number {
    return this.#corrections.size;
  }

  /** The number of reservations whose money has not been taken yet. */
  get openReservations(): number {
    return this.#open.size;
  }

  reserved(event: RecordedEvent<ReservationEvent>): void {
    const account = accountOf(event.stream);
    const { source, amountMinor, totalMinor } = event.data;
    const isReserve = event.type === 'FundsReserved';
    const expected = (this.#totals.get(account) ?? 0n) + (isReserve ? amountMinor : -amountMinor);
    if (expected !== totalMinor) this.#contradicts(event, 'totalMinor', expected, totalMinor);
    this.#totals.set(account, totalMinor);
    if (!isReserve) this.#open.delete(source);
    else {
      const { stream, recordedAt, position } = event;
      const row = [
        source,
        stream,
        amountMinor.toString(),
        recordedAt,
        position.toString(),
      ] as const;
      this.#open.set(source, row);
    }
  }

  proposed(event: RecordedEvent<CorrectionProposed>): void {
    const { stream, data, recordedAt, position } = event;
    this.#corrections.set(stream, [
      stream,
      correctionKeyOf(stream)?.id ?? null,
      ...[data.merchantId, data.mode, data.currency],
      data.legs.map(({ account, amountMinor }) => `${account}=${amountMinor}`).join(' '),
      ...[data.why, data.corrects ?? null, data.receipt ?? null],
      ...[String(data.mayOverdraw ?? false), data.proposedBy, recordedAt, position.toString()],
      ...[null, null, null, null],
    ]);
  }

  posted(event: RecordedEvent<CorrectionPosted>): void {
    const { stream, data, recordedAt } = event;
    const row = this.#corrections.get(stream);
    if (row)
      this.#corrections.set(stream, [
        ...[row[0], ...row.slice(1, -4)],
        ...[data.confirmedBy, recordedAt, null, null],
      ] as const);
    const debited = debitedWallet(data.legs)?.amountMinor ?? 0n;
    const reserved = BigInt(this.#open.get(stream)?.[2] ?? 0);
    if (debited !== reserved) this.#contradicts(event, 'reserved', debited, reserved);
    this.#open.delete(stream);
  }

  /** It ended without a posting. */
  ended({ stream, data, recordedAt }: RecordedEvent<CorrectionEnded>): void {
    const row = this.#corrections.get(stream);
    if (row) this.#corrections.set(stream, [row[0], ...row.slice(1, -2), recordedAt, data.outcome]);
  }

  /** The money of a payout's own reservation, or of its late success, has left the wallet. */
  taken({ type, stream }: RecordedEvent): void {
    if (type !== 'WalletPosted') return;
    this.#open.delete(stream);
    this.#open.delete(lateSourceOf(stream));
  }

  /** Reads the tables; the walk then continues exactly to the position of this snapshot. */
  async read(snapshot: Queryable): Promise<void> {
    this.#stored = {
      corrections: await readSmallTable(correctionsTable, snapshot),
      reservations: await readSmallTable(reservationsTable, snapshot),
      open: await readSmallTable(openReservationsTable, snapshot),
    };
  }

  finish(balances: BalanceCheck): void {
    if (!this.#stored) throw new TypeError('the tables of corrections were not read');
    const { differences } = this;
    for (const [account, debits] of balances.walletDebits()) {
      const total = this.#totals.get(account) ?? 0n;
      if (debits > total)
        differences.add({
          table: 'events',
          account,
          field: 'debits',
          expected: `at most ${total}, which was reserved`,
          found: debits.toString(),
        });
    }
    const totals = new Map<string, SmallRow>(
      [...this.#totals].map(([account, total]) => [account, [account, total.toString()]]),
    );
    const { corrections, reservations, open } = this.#stored;
    compareSmallTable(correctionsTable, this.#corrections, corrections, differences);
    compareSmallTable(reservationsTable, totals, reservations, differences);
    compareSmallTable(openReservationsTable, this.#open, open, differences);
  }

  #contradicts(event: RecordedEvent, field: string, expected: bigint, found: bigint): void {
    const where = { position: event.position.toString(), stream: event.stream };
    this.differences.add({
      table: 'events',
      ...where,
      field,
      expected: expected.toString(),
      found: found.toString(),
    });
  }
}

/** The name of a balance: mode, currency, account. */
function accountOf(stream: string): string {
  const wallet = reservedWalletOf(stream);
  return wallet ? `${wallet.mode}:${wallet.currency}:wallet:${wallet.accountNo}` : stream;
}

export function isCorrectionEvent(event: RecordedEvent): event is RecordedEvent<CorrectionEvent> {
  return event.stream.startsWith('correction-') && event.type in correctionEventTypes;
}

export function isReservationEvent(event: RecordedEvent): event is RecordedEvent<ReservationEvent> {
  return event.stream.startsWith('reservations-') && event.type in reservationEventTypes;
}
