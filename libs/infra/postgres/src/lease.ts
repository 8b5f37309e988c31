import { type Queryable } from './database.js';

/** Rises whenever a lease changes hands; a statement refuses work done under an older one. */
export type Fence = bigint;

export interface LeaseOptions {
  /** The name of the led task, such as `projector`. */
  readonly name: string;
  /** The id of this process, different at each start. */
  readonly holder: string;
  readonly durationMs?: number;
}

/** Long enough to survive a garbage collector's pause, short enough that a dead leader is replaced soon. */
const defaultDurationMs = 5000;

// By the database's own clock, without CLOCK_OFFSET: processes with another offset must agree on it.
const acquire = {
  name: 'lease-acquire',
  text: `
    insert into records.leases as lease (name, holder, fence, expires_at)
    values ($1, $2, 1, clock_timestamp() + $3 * interval '1 millisecond')
    on conflict (name) do update
      set holder = excluded.holder,
          fence = lease.fence + case when lease.holder = excluded.holder then 0 else 1 end,
          expires_at = excluded.expires_at
      where lease.holder = excluded.holder or lease.expires_at < clock_timestamp()
    returning fence`,
};
const renew = {
  name: 'lease-renew',
  text: `
    update records.leases
      set expires_at = clock_timestamp() + $4 * interval '1 millisecond'
      where name = $1 and holder = $2 and fence = $3
    returning fence`,
};
const release = `
  update records.leases set expires_at = '-infinity'
    where name = $1 and holder = $2 and fence = $3`;
const holds = {
  name: 'lease-holds',
  text: `select 1 from records.leases where name = $1 and fence = $2 for share`,
};

/**
 * A row that one process at a time holds. Expiry alone does not stop a frozen holder that wakes up, so the work itself
 * must name the fence: see `holdsFence`, or use `records.leases.fence` as a condition of the update.
 */
export class Lease {
  #fence: Fence | undefined;

  constructor(
    private readonly database: Queryable,
    private readonly options: LeaseOptions,
  ) {}

  /** The fence, if this process holds the lease as far as it knows. */
  get fence(): Fence | undefined {
    return this.#fence;
  }

  /** Takes the lease if it is free or expired, or is this holder's already. */
  async tryAcquire(): Promise<Fence | undefined> {
    const { name, holder, durationMs = defaultDurationMs } = this.options;
    // If Postgres does not answer, another process may hold the lease by now.
    this.#fence = undefined;
    const [row] = await this.database.query<{ fence: bigint }>(acquire, [name, holder, durationMs]);
    this.#fence = row?.fence;
    return this.#fence;
  }

  /** @returns false if another holder has taken the lease meanwhile: stop leading */
  async renew(): Promise<boolean> {
    if (this.#fence === undefined) return false;
    const { name, holder, durationMs = defaultDurationMs } = this.options;
    const rows = await this.database.query(renew, [name, holder, this.#fence, durationMs]);
    if (rows.length === 0) this.#fence = undefined;
    return rows.length > 0;
  }

  /** Lets the next holder take over at once. */
  async release(): Promise<void> {
    if (this.#fence === undefined) return;
    const fence = this.#fence;
    this.#fence = undefined;
    await this.database.query(release, [this.options.name, this.options.holder, fence]);
  }
}

/**
 * Call this inside a transaction. True if the fence is still the lease's; the lease then cannot change hands before the
 * transaction ends.
 */
export async function holdsFence(
  transaction: Queryable,
  name: string,
  fence: Fence,
): Promise<boolean> {
  const rows = await transaction.query(holds, [name, fence]);
  return rows.length > 0;
}
