import { type RecordedEvent } from '#domain/event-sourcing';
import { type Leg, type ReservationEvent, reservationsStream } from '#domain/ledger';
import { lateSourceOf, type Payout, totalOf } from '#domain/payouts';
import { type World } from '../core/world.js';
import { account } from '../names.js';
import { type ViewTables } from '../servers/views.js';
import { invariants } from './invariants.js';

type StateOf = (stream: string) => Payout;

/** Compares the wallets' reservations and payments with their funds according to the log. */
export class Wallets {
  readonly #credits = new Map<string, bigint>();
  readonly #debits = new Map<string, bigint>();
  readonly #reserved = new Map<string, bigint>();
  /** The present reservations, by source. */
  readonly #standing = new Map<string, bigint>();
  readonly #overdrawn = new Set<string>();

  constructor(
    private readonly world: World,
    private readonly stateOf: StateOf,
  ) {}

  reservation({ stream, type, data }: RecordedEvent<ReservationEvent>): void {
    const { source, amountMinor, totalMinor } = data;
    const change = type === 'FundsReserved' ? amountMinor : -amountMinor;
    const total = (this.#reserved.get(stream) ?? 0n) + change;
    this.#reserved.set(stream, total);
    if (totalMinor !== total)
      this.#violate(invariants.neverOverdrawn, `${stream} says ${totalMinor}, it is ${total}`);
    if (type === 'FundsReserved') this.#reserves(stream, source, { amountMinor, total });
    else this.#releases(source);
  }

  /** Adds the legs of an event. */
  posted(legs: readonly Leg[]): void {
    for (const { account: name, amountMinor } of legs) {
      const sums = amountMinor >= 0n ? this.#credits : this.#debits;
      const size = amountMinor >= 0n ? amountMinor : -amountMinor;
      sums.set(name, (sums.get(name) ?? 0n) + size);
      const balance = (this.#credits.get(name) ?? 0n) - (this.#debits.get(name) ?? 0n);
      if (name.startsWith('wallet:') && balance < 0n && !this.#overdrawn.has(name))
        this.#violate(invariants.neverOverdrawn, `${name} stands at ${balance}`);
    }
  }

  /** Checks everything at the end. @param payouts all streams of payouts */
  finish(payouts: readonly string[], tables: ViewTables): void {
    const [held, open] = [new Map<string, bigint>(), new Map<string, bigint>()];
    for (const stream of payouts) {
      const state = this.stateOf(stream);
      if (state.status === 'none' || !isHeld(state.status)) continue;
      const wallet = walletOf(state.request.accountNo);
      const total = totalOf(state.request);
      held.set(wallet, (held.get(wallet) ?? 0n) + total);
      if (state.status !== 'completed') open.set(wallet, (open.get(wallet) ?? 0n) + total);
    }
    for (const [stream, reserved] of this.#reserved) {
      const expected = held.get(stream) ?? 0n;
      if (reserved !== expected)
        this.#violate(
          invariants.reservedIsOpen,
          `${stream} reserves ${reserved}, its payouts are ${expected}`,
        );
      const view = tables.payouts.totals.get(stream);
      const debits = this.#debits.get(`wallet:${stream.split(':')[2] ?? ''}`) ?? 0n;
      if (view !== reserved || reserved - debits !== (open.get(stream) ?? 0n))
        this.#violate(
          invariants.reservedIsOpen,
          `${stream} reserves ${reserved}, in the view ${String(view)}, ${debits} are paid out`,
        );
    }
  }

  #reserves(
    stream: string,
    source: string,
    { amountMinor, total }: { readonly amountMinor: bigint; readonly total: bigint },
  ): void {
    if (this.#standing.has(source))
      this.#violate(invariants.neverOverdrawn, `${source} reserves twice`);
    this.#standing.set(source, amountMinor);
    const wallet = `wallet:${stream.split(':')[2] ?? ''}`;
    const credits = this.#credits.get(wallet) ?? 0n;
    if (total <= credits) return;
    if (source === lateSourceOf(source.replace(/~late$/, ''))) this.#overdrawn.add(wallet);
    else
      this.#violate(
        invariants.neverOverdrawn,
        `${stream} reserves ${total} with ${source}, there were ${credits}`,
      );
  }

  #releases(source: string): void {
    if (!this.#standing.delete(source))
      this.#violate(invariants.releasedWhenOver, `${source} has nothing reserved`);
    const { status } = this.stateOf(source);
    // A success after a decline is reserved under a source of its own.
    const isPaidLate = status === 'completed' && this.#standing.has(lateSourceOf(source));
    if (status !== 'failed' && status !== 'rejected' && !isPaidLate)
      this.#violate(invariants.releasedWhenOver, `${source} is ${status}`);
  }

  #violate(...what: Parameters<World['violate']>): void {
    this.world.violate(...what);
  }
}

function isHeld(status: Payout['status']): boolean {
  return ['reserved', 'approved', 'started', 'completed'].includes(status);
}

function walletOf(accountNo: string): string {
  return reservationsStream(account(0, accountNo));
}
