import { type Child, eventually, type MerchantClient, type Service } from '#testing';
import { randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
import {
  callsReturned,
  dieAt,
  firstSince,
  type Passing,
  passingsOf,
  sinceListening,
} from './crash-points.js';
import { railOf } from '../rail/airtel-process.js';
import { type RecordsUnderTest } from './records.js';

/** One flow of the service: how to find its crash points, and how to drive a collection to each. */
export interface CrashFlow {
  /** Drives one collection through a process that traces. */
  learn(): Promise<readonly Passing[]>;
  /** Drives one collection until its process dies there, and does what others would do then. */
  crash(at: Passing): Promise<void>;
  /** All collections that were driven. */
  readonly references: readonly string[];
}

/**
 * One pays and calls back. One pays without a callback. One is reported as paid only to the third query. One pays and
 * calls back, but its push's answer is lost. One pays over Airtel without a callback.
 */
const phone = {
  pays: '254712345678',
  silent: '254700000006',
  longProcessed: '254700000016',
  answerLost: '254700000012',
  airtel: '254733000012',
} as const;

export const trace = { CRASH_AT: 'trace' } as const;
const urlOf = ({ ports }: Child): string => `http://127.0.0.1:${String(ports.port)}`;

/** Collections of a flow, named after it. */
export abstract class CollectionFlow {
  readonly references: string[] = [];

  constructor(
    protected readonly service: Service,
    protected readonly records: RecordsUnderTest,
    private readonly name: string,
  ) {}

  protected nextReference(): string {
    const reference = `${this.name}-${this.references.length}`;
    this.references.push(reference);
    return reference;
  }

  protected get merchant(): MerchantClient {
    return this.service.merchant;
  }

  /** Creates a collection with the service's own API, which does not die. */
  protected async collect(dialled: string, merchant = this.merchant): Promise<string> {
    const reference = this.nextReference();
    const { status } = await merchant.collect({
      reference,
      phone: dialled,
      channel: railOf(dialled),
    });
    expect({ reference, status }).toEqual({ reference, status: 202 });
    return reference;
  }
}

/** The merchant's request, up to its answer. Callbacks go to the service's own API. */
export class CreateFlow extends CollectionFlow implements CrashFlow {
  /** The replica that merchants use after another died. */
  #survivor: Promise<Child> | undefined;

  constructor(
    service: Service,
    records: RecordsUnderTest,
    /** A Redis of its own, so that a dead process's entries delay no other flow. */
    private readonly redis: { readonly url: string; flush(): Promise<unknown> },
    name = 'create',
  ) {
    super(service, records, name);
  }

  protected readonly dialled: string = phone.pays;

  async learn(): Promise<Passing[]> {
    await this.redis.flush();
    const api = await this.service.startReplica('api', { ...this.settings, ...trace });
    await this.collect(this.dialled, this.merchant.at(urlOf(api)));
    const learned = sinceListening(api);
    api.signal('SIGTERM');
    return learned;
  }

  async crash(at: Passing): Promise<void> {
    // Without a rail token, so that it is fetched each time.
    await this.redis.flush();
    const channel = railOf(this.dialled);
    const fields = { reference: this.nextReference(), phone: this.dialled, channel };
    const key = randomUUID();
    const drive = async ({ up }: { readonly up: Promise<Child> }) => {
      const told = await this.merchant
        .at(urlOf(await up))
        .collect(fields, key)
        .catch(() => undefined);
      if (told) await this.expectDurable(fields.reference, told.status);
    };
    await dieAt(this.service, { app: 'api', at, settings: this.settings, drive });

    this.#survivor ??= this.service.startReplica('api', this.settings);
    const survivor = urlOf(await this.#survivor);
    await this.repeatUntilAnswered(this.merchant.at(survivor), fields, key);
  }

  private get settings() {
    return { REDIS_URL: this.redis.url };
  }

  private async repeatUntilAnswered(
    merchant: MerchantClient,
    fields: { readonly reference: string; readonly phone: string },
    key: string,
  ): Promise<void> {
    const told = await eventually(
      async () => {
        const answer = await merchant.collect(fields, key);
        // The owner of the key may still be running, for a minute: let it pass.
        if (answer.status === 409) await this.records.abandonClaim(fields.reference);
        return answer.status;
      },
      (status) => status !== 409 && status !== 503,
    );
    expect([202, 502]).toContain(told);
    await this.expectDurable(fields.reference, told);
  }

  /** Invariant 7: everything that was answered is in the log by then. */
  private async expectDurable(reference: string, told: number): Promise<void> {
    const { status, body } = await this.merchant.get(`/api/v4/collections/${reference}`);
    expect({ told, status, reference: body['reference'] }).toEqual({
      told,
      status: 200,
      reference,
    });
  }
}

/** The same over Airtel. */
export class AirtelCreateFlow extends CreateFlow {
  constructor(...[service, records, redis]: ConstructorParameters<typeof CreateFlow>) {
    super(service, records, redis, 'airtel-create');
  }

  protected override readonly dialled = phone.airtel;
}

/** The rail's callback, at an edge that only takes callbacks. */
export class CallbackFlow extends CollectionFlow implements CrashFlow {
  constructor(
    service: Service,
    records: RecordsUnderTest,
    /** `creator`: an API whose collections are called back at the edge. */
    private readonly edge: { readonly creator: Child; readonly edgePort: number },
  ) {
    super(service, records, 'callback');
  }

  async learn(): Promise<Passing[]> {
    const edge = await this.service.startReplica('api', { ...this.settings, ...trace });
    const reference = await this.collect(phone.pays, this.merchant.at(urlOf(this.edge.creator)));
    await eventually(
      () => this.merchant.get(`/api/v4/collections/${reference}`),
      ({ body }) => body['status'] === 'completed',
    );
    await callsReturned(edge);
    const learned = sinceListening(edge);
    edge.signal('SIGTERM');
    await edge.ended;
    return learned;
  }

  /** The rail calls back once: if the dead process did not store it, a query reports it later. */
  async crash(at: Passing): Promise<void> {
    const drive = () => this.collect(phone.pays, this.merchant.at(urlOf(this.edge.creator)));
    await dieAt(this.service, { app: 'api', at, settings: this.settings, drive });
  }

  private get settings() {
    return { PORT: String(this.edge.edgePort) };
  }
}

/** A worker that finds work when it starts. Its next start finds the rest of the dead one's work. */
abstract class WorkerFlow extends CollectionFlow implements CrashFlow {
  protected abstract readonly phone: string;
  /** The first point of its step, and the points that the other steps pass meanwhile. */
  protected abstract readonly begins: string;
  protected abstract readonly idle: RegExp;

  async learn(): Promise<Passing[]> {
    const reference = await this.work();
    const worker = await this.service.startReplica('worker', trace);
    await eventually(
      () => this.merchant.get(`/api/v4/collections/${reference}`),
      ({ body }) => body['status'] === 'completed',
    );
    await callsReturned(worker);
    const learned = firstSince(passingsOf(worker), this.begins, this.idle);
    worker.signal('SIGTERM');
    await worker.ended;
    return learned;
  }

  async crash(at: Passing): Promise<void> {
    await this.work();
    await dieAt(this.service, { app: 'worker', at });
  }

  protected work(): Promise<string> {
    return this.collect(this.phone);
  }
}

/** A callback that matched no collection when it came, because the push's answer was lost. */
export class InboxFlow extends WorkerFlow {
  constructor(service: Service, records: RecordsUnderTest) {
    super(service, records, 'inbox');
  }

  protected readonly phone = phone.answerLost;
  protected readonly begins = 'postgres:inbox-lease:before';
  protected readonly idle =
    /rail-queries-due|silent|delete records|reservations-left|receipt-conflicts|webhook|lease-acquire/;

  protected override async work(): Promise<string> {
    const reference = await super.work();
    await eventually(() => this.records.isInInbox(reference), Boolean);
    return reference;
  }
}

/** The rail is asked about a push without a report. */
export class QueryFlow extends WorkerFlow {
  constructor(service: Service, records: RecordsUnderTest, name = 'query') {
    super(service, records, name);
  }

  protected readonly phone: string = phone.silent;
  protected readonly begins = 'postgres:rail-queries-due:before';
  protected readonly idle =
    /inbox-lease|silent|delete records|reservations-left|receipt-conflicts|webhook|lease-acquire/;
}

/** Airtel is asked about a push. Only its answer settles it. */
export class AirtelQueryFlow extends QueryFlow {
  constructor(service: Service, records: RecordsUnderTest) {
    super(service, records, 'airtel-query');
  }

  protected override readonly phone = phone.airtel;
}

/** Rows are read, updated and removed only if an earlier batch has written them. */
const ofStoredRows = /:(transactions-(by-stream|update)|(rail-queries|reviews)-remove):/;

/** The views follow the log: a projector starts where the last one died. */
export class ProjectionFlow extends CollectionFlow implements CrashFlow {
  constructor(service: Service, records: RecordsUnderTest) {
    super(service, records, 'projection');
  }

  async learn(): Promise<Passing[]> {
    await this.halfProjected();
    const reference = await this.written();
    await this.records.endLeases();
    const projector = await this.service.startReplica('projector', trace);
    await eventually(
      () => this.merchant.get('/api/v4/transactions?limit=1'),
      ({ body }) => JSON.stringify(body['data'] ?? []).includes(`"${reference}"`),
    );
    await callsReturned(projector);
    const learned = firstSince(passingsOf(projector), 'postgres:lease-acquire:before', /^$/);
    projector.signal('SIGTERM');
    await projector.ended;
    return learned;
  }

  async crash(at: Passing): Promise<void> {
    if (ofStoredRows.test(at.point)) await this.halfProjected();
    await this.written();
    // The dead one's lease expires.
    await this.records.endLeases();
    await dieAt(this.service, { app: 'projector', at });
  }

  /** A collection whose first events are in the views, while the others wait in the log. */
  private async halfProjected(): Promise<void> {
    await this.records.endLeases();
    const projector = await this.service.startReplica('projector');
    const reference = await this.collect(phone.longProcessed);
    try {
      await eventually(
        () => this.merchant.get('/api/v4/transactions?limit=1'),
        // Without the push's answer in the views, the worker would not ask the rail.
        ({ body }) => {
          const [item] = (body['data'] ?? []) as readonly Partial<Record<string, unknown>>[];
          return item?.['reference'] === reference && item['rail_reference'] !== null;
        },
      );
    } finally {
      // A projector that lives on would keep the lease, and no later one would pass any point.
      projector.signal('SIGKILL');
    }
    await projector.ended;
    await this.completed(reference);
  }

  /** A collection whose whole history waits in the log. */
  private async written(): Promise<string> {
    const reference = await this.collect(phone.pays);
    await this.completed(reference);
    return reference;
  }

  private async completed(reference: string): Promise<void> {
    await eventually(
      () => this.merchant.get(`/api/v4/collections/${reference}`),
      ({ body }) => body['status'] === 'completed',
    );
  }
}
