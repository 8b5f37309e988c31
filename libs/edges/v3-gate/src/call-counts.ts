import { type V3Counting, type V3Counts } from '#records/v3-usage';
import { type Instant, instantFromMs, msFromInstant } from '#domain/kernel';
import { unattributedV3Caller } from '#views/v3-usage';

const dayMs = 86_400_000;

type Taken = Omit<V3Counts, 'counting'>;

/**
 * The counts that are not written yet. They are limited, whatever unknown callers call and however long Postgres is
 * away.
 */
export class CallCounts {
  private readonly calls = new Map<string, number>();
  private readonly links = new Map<string, { links: number; movable: number }>();

  private readonly phoneReferences = new Map<string, number>();

  /**
   * @param maxKeys days × merchants × routes that are counted separately; further merchants' calls are counted together
   */
  constructor(private readonly maxKeys = 20_000) {}

  get size(): number {
    return this.calls.size + this.links.size + this.phoneReferences.size;
  }

  addCalls(day: string, merchantId: string, route: string, calls = 1): void {
    const own = keyOf(day, merchantId, route);
    const hasRoom = this.calls.has(own) || this.size < this.maxKeys || merchantId === '';
    const key = hasRoom ? own : keyOf(day, unattributedV3Caller, route);
    this.calls.set(key, (this.calls.get(key) ?? 0) + calls);
  }

  addLinks(
    day: string,
    merchantId: string,
    { links, movable }: { readonly links: number; readonly movable: number },
  ): void {
    const own = keyOf(day, merchantId);
    const hasRoom = this.links.has(own) || this.size < this.maxKeys;
    const key = hasRoom ? own : keyOf(day, unattributedV3Caller);
    const known = this.links.get(key) ?? { links: 0, movable: 0 };
    this.links.set(key, { links: known.links + links, movable: known.movable + movable });
  }

  addPhoneReferences(day: string, merchantId: string, collections = 1): void {
    const own = keyOf(day, merchantId);
    const hasRoom = this.phoneReferences.has(own) || this.size < this.maxKeys;
    const key = hasRoom ? own : keyOf(day, unattributedV3Caller);
    this.phoneReferences.set(key, (this.phoneReferences.get(key) ?? 0) + collections);
  }

  /** Returns the counts and starts again from zero. */
  take(): Taken {
    const calls = [...this.calls].map(([key, count]) => {
      const [day, merchantId, route] = JSON.parse(key) as [string, string, string];
      return { day, merchantId, route, calls: count };
    });
    const links = [...this.links].map(([key, counts]) => {
      const [day, merchantId] = JSON.parse(key) as [string, string];
      return { day, merchantId, ...counts };
    });
    const phoneReferences = [...this.phoneReferences].map(([key, collections]) => {
      const [day, merchantId] = JSON.parse(key) as [string, string];
      return { day, merchantId, collections };
    });
    this.calls.clear();
    this.links.clear();
    this.phoneReferences.clear();
    return { calls, links, phoneReferences };
  }

  /** Takes back counts that could not be written. */
  giveBack({ calls, links, phoneReferences }: Taken): void {
    for (const { day, merchantId, route, calls: count } of calls)
      this.addCalls(day, merchantId, route, count);
    for (const { day, merchantId, ...counts } of links) this.addLinks(day, merchantId, counts);
    for (const { day, merchantId, collections } of phoneReferences)
      this.addPhoneReferences(day, merchantId, collections);
  }
}

/** Returns the day (UTC) of an instant. */
export function dayOf(instant: Instant): string {
  return instant.slice(0, 10);
}

/** Returns a time range, cut at midnights UTC. If the clock went back, it is only the instant. */
export function stretchesOf(fromMs: number, untilMs: number): V3Counting[] {
  const stretches: V3Counting[] = [];
  for (let firstMs = Math.min(fromMs, untilMs); firstMs <= untilMs;) {
    const day = dayOf(instantFromMs(firstMs));
    const nextMs = msFromInstant(`${day}T00:00:00.000Z` as Instant) + dayMs;
    const lastMs = Math.min(untilMs, nextMs - 1);
    stretches.push({ day, firstAt: new Date(firstMs), lastAt: new Date(lastMs) });
    firstMs = nextMs;
  }
  return stretches;
}

function keyOf(...parts: readonly string[]): string {
  return JSON.stringify(parts);
}
