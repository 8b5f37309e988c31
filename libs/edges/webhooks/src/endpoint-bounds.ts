import { type WebhookEndpointKey } from '#domain/merchants';
import { LRUCache } from 'lru-cache';
import { type EndpointShare, type ReadyEndpoint } from './delivery-queue.js';

const firstBound = 4;
/** Attempts in flight to one endpoint, as many as its connections. */
export const maxBound = 64;
/** Endpoints of which it is remembered how they do. */
const maxRemembered = 10_000;

/** One text for an endpoint. */
export function endpointName({ merchantId, mode, kind }: WebhookEndpointKey): string {
  return `${merchantId} ${mode} ${kind}`;
}

/**
 * How many attempts this worker has in flight, and how many more each endpoint may have (WEB-13). The more is in flight
 * to others, the less an endpoint may have: where many begin to hang together, the first hold much and the others little,
 * and the last third is given out one by one.
 */
export class EndpointBounds {
  readonly #maxInFlight: number;
  readonly #inFlight = new Map<string, number>();
  readonly #bounds = new LRUCache<string, number>({ max: maxRemembered });
  #total = 0;

  constructor(maxInFlight: number) {
    this.#maxInFlight = maxInFlight;
  }

  get total(): number {
    return this.#total;
  }

  /**
   * Those that have least come first: where little is left, nobody gets a second one before each has one.
   * @returns for each endpoint that may have more how many, in all no more than are free
   */
  shares(endpoints: readonly ReadyEndpoint[]): readonly EndpointShare[] {
    let free = this.#maxInFlight - this.#total;
    const inFlight = (of: ReadyEndpoint): number => this.#inFlight.get(endpointName(of)) ?? 0;
    const leastFirst = endpoints.toSorted((one, other) => inFlight(one) - inFlight(other));
    return leastFirst.flatMap((endpoint) => {
      const max = this.#more(endpoint, free);
      if (max === 0) return [];
      free -= max;
      return { ...endpoint, max };
    });
  }

  begin(endpoint: WebhookEndpointKey): void {
    const name = endpointName(endpoint);
    this.#inFlight.set(name, (this.#inFlight.get(name) ?? 0) + 1);
    this.#total += 1;
  }

  /** @param wasTaken undefined where nothing was sent */
  end(endpoint: WebhookEndpointKey, wasTaken: boolean | undefined): void {
    const name = endpointName(endpoint);
    const left = (this.#inFlight.get(name) ?? 0) - 1;
    if (left > 0) this.#inFlight.set(name, left);
    else this.#inFlight.delete(name);
    this.#total -= 1;
    if (wasTaken === undefined) return;
    const bound = this.#bounds.get(name) ?? firstBound;
    this.#bounds.set(name, wasTaken ? Math.min(maxBound, bound + 1) : 1);
  }

  #more(endpoint: ReadyEndpoint, free: number): number {
    const name = endpointName(endpoint);
    const inFlight = this.#inFlight.get(name) ?? 0;
    const remembered = this.#bounds.get(name) ?? firstBound;
    // Other workers may know better.
    const bound = endpoint.failures > 0 ? 1 : remembered;
    const leftByOthers = (free + inFlight) / this.#maxInFlight;
    const fair = Math.max(1, Math.floor(maxBound * leftByOthers ** 3));
    return Math.max(0, Math.min(free, Math.min(bound, fair) - inFlight));
  }
}
