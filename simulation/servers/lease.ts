import { DependencyUnavailable } from '#domain/kernel';
import { type Leadership } from '#views/projection';
import { type Life } from '../core/life.js';

const durationMs = 5000;
const deadlineMs = 7000;

/** The lease's row. */
export class LeaseRow {
  holder = '';
  fence = 0n;
  expiresAtMs = 0;
}

/** The records' lease (libs/infra/postgres/src/lease.ts) with the same rules, in memory. */
export class SimulatedLease implements Leadership {
  fence: bigint | undefined;
  readonly #holder: string;

  constructor(
    private readonly life: Life,
    private readonly row: LeaseRow,
  ) {
    this.#holder = `${life.name}.${life.run}`;
  }

  async tryAcquire(): Promise<bigint | undefined> {
    const before = this.row.fence;
    const isRoutine = (fence: bigint | undefined): boolean =>
      fence === undefined || fence === before;
    const acquire = (nowMs: number): bigint | undefined => {
      const { row } = this;
      if (row.holder !== this.#holder) {
        if (row.expiresAtMs >= nowMs) return undefined;
        row.fence += 1n;
      }
      row.holder = this.#holder;
      row.expiresAtMs = nowMs + durationMs;
      return row.fence;
    };
    this.fence = await this.#call('takes the lease', acquire, isRoutine);
    return this.fence;
  }

  async renew(): Promise<boolean> {
    if (this.fence === undefined) return false;
    const renew = (nowMs: number): boolean => {
      const { row } = this;
      if (row.holder !== this.#holder || row.fence !== this.fence) return false;
      row.expiresAtMs = nowMs + durationMs;
      return true;
    };
    const isRenewed = await this.#call('finds its lease lost', renew, (isHeld) => isHeld);
    if (!isRenewed) this.fence = undefined;
    return isRenewed;
  }

  async release(): Promise<void> {
    const { fence } = this;
    this.fence = undefined;
    await this.#call('releases its lease', () => {
      if (this.row.holder === this.#holder && this.row.fence === fence) this.row.expiresAtMs = 0;
    });
  }

  #call<T>(
    what: string,
    serve: (nowMs: number) => T,
    isRoutine: (answer: T) => boolean = () => false,
  ): Promise<T> {
    return this.life.call({
      server: 'records',
      what,
      serve: () => serve(this.life.world.nowMs),
      isRoutine,
      deadlineMs,
      unavailable: (why) => new DependencyUnavailable('postgres', why),
    });
  }
}
