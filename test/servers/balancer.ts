import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, type Child, eventually, type MerchantClient } from '#testing';

/** An API process behind the balancer. */
interface Replica {
  readonly child: Child;
  readonly merchant: MerchantClient;
  isReady: boolean;
  /** The number of consecutive failed probes. */
  fallen: number;
}

/** This many failures remove a replica. */
const fall = 2;

/** A load balancer as in the how-to: a replica that answers its probe gets requests. */
export class Balancer {
  readonly replicas: Replica[] = [];
  readonly failed: string[] = [];
  answered = 0;
  created = 0;
  readonly #over = new AbortController();
  #turn = 0;

  constructor(private readonly merchant: MerchantClient) {}

  add(child: Child): Replica {
    const merchant = this.merchant.at(`http://127.0.0.1:${String(child.ports.port)}`);
    const replica = { child, merchant, isReady: false, fallen: 0 };
    this.replicas.push(replica);
    return replica;
  }

  /** Sends a merchant's requests until the work is done; none may fail, and no answer may go back in time. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    const probing = this.#probe();
    await eventually(() => Promise.resolve(this.replicas.some(({ isReady }) => isReady)), Boolean, {
      withinMs: 90_000,
    });
    const clients = Array.from({ length: 4 }, (_, client) => this.#send(client));
    try {
      return await work();
    } finally {
      await sleep(1000);
      this.#over.abort();
      await Promise.all([probing, ...clients]);
    }
  }

  async #probe(): Promise<void> {
    while (!this.#over.signal.aborted) {
      for (const replica of this.replicas) {
        const answers = await isReady(replica.child);
        replica.fallen = answers ? 0 : replica.fallen + 1;
        replica.isReady = answers || (replica.isReady && replica.fallen < fall);
      }
      await sleep(100);
    }
  }

  async #send(client: number): Promise<void> {
    const seen = new Map<Replica, { position: bigint; items: number }>();
    for (let turn = 0; !this.#over.signal.aborted; turn += 1) {
      const ready = this.replicas.filter((replica) => replica.isReady);
      const replica = ready[this.#turn % Math.max(1, ready.length)];
      this.#turn += 1;
      if (!replica) {
        this.failed.push('no replica is ready');
        await sleep(50);
        continue;
      }
      const what = turn % 4 === 0 ? 'create' : 'list';
      try {
        const answer =
          what === 'create'
            ? await replica.merchant.collect({ reference: `rolled-${client}-${turn}` })
            : await replica.merchant.get('/api/v4/transactions?limit=100');
        this.#judge(what, answer, seen, replica);
      } catch (error) {
        this.failed.push(`${what}: ${String(error)}`);
      }
      await sleep(10);
    }
  }

  #judge(
    what: 'create' | 'list',
    { status, headers, body }: Answer,
    seen: Map<Replica, { position: bigint; items: number }>,
    replica: Replica,
  ): void {
    this.answered += 1;
    if (what === 'create') {
      this.created += 1;
      if (status !== 202) this.failed.push(`create: ${status} ${JSON.stringify(body)}`);
      return;
    }
    if (status !== 200) {
      this.failed.push(`list: ${status} ${JSON.stringify(body)}`);
      return;
    }
    const position = BigInt(headers.get('x-pp-ledger-position') ?? '0');
    const items = (body['data'] as readonly unknown[]).length;
    const before = seen.get(replica);
    if (before && (position < before.position || items < before.items))
      this.failed.push(`list went back: ${position} after ${before.position}, ${items} items`);
    seen.set(replica, { position, items });
  }
}

/** True if the process's own probe says that it may get requests. */
export async function isReady({ ports }: Child): Promise<boolean> {
  const url = `http://127.0.0.1:${String(ports.adminPort)}/health/ready`;
  return fetch(url, { signal: AbortSignal.timeout(2000) }).then(
    async (response) => {
      await response.arrayBuffer();
      return response.ok;
    },
    () => false,
  );
}
