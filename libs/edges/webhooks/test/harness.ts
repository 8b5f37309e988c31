import { DeliveryQueue, EndpointSecrets, RecordedWebhookSecrets } from '#records/webhooks';
import { collectionStream } from '#domain/collections';
import { ok } from '#domain/kernel';
import { SetWebhookEndpoint, type WebhookEndpointKey } from '#domain/merchants';
import { Database } from '#infra/postgres';
import { createLogger, Metrics, SystemClock, SystemTimer, UuidIds } from '#infra/runtime';
import { Keyring } from '#shared/signing';
import {
  type AtCall,
  MemoryLog,
  patientPool,
  ReachedLog,
  throwAwayDatabase,
  type ThrowAwayDatabase,
} from '#testing';
import { createViews } from '#views/view-set';
import { Logger } from '@nestjs/common';
import { type CommandBus } from '@nestjs/cqrs';
import { randomUUID } from 'node:crypto';
import { Attempts } from '../src/attempts.js';
import { Deliveries, DeliveryReports } from '../src/deliveries.js';
import { DeliveryStep } from '../src/delivery-step.js';
import { maxBound } from '../src/target-bounds.js';
import { WebhookSender } from '../src/sending/sender.js';
import { WebhookOptions } from '../src/webhook-options.js';

const schema = 'views_webhooks';
const logger = createLogger({ app: 'spec', level: 'fatal' });

export interface WorkerOptions {
  readonly leaseMs?: number;
  readonly statusWithinMs?: number;
  /** CLOCK_OFFSET. */
  readonly clockOffsetMs?: number;
  readonly queue?: (queue: DeliveryQueue) => DeliveryQueue;
  readonly atLog?: AtCall;
}

/** A worker's sender of webhooks. Its loop runs until it is stopped. */
export interface RunningWorker {
  readonly step: DeliveryStep;
  readonly commands: readonly SetWebhookEndpoint[];
  readonly metrics: Metrics;
  stop(): Promise<void>;
}

/** Views and records that owe webhooks, as the projector makes them. */
export class WebhookHarness {
  readonly keyring = Keyring.from([{ id: 'k1', bytes: Buffer.alloc(32, 1) }]);
  readonly log = new MemoryLog();
  readonly #workers: RunningWorker[] = [];
  #sequence = 0;

  private constructor(
    private readonly server: ThrowAwayDatabase,
    readonly database: Database,
  ) {}

  static async start(): Promise<WebhookHarness> {
    Logger.overrideLogger(false);
    const server = await throwAwayDatabase();
    await createViews(server.database, schema);
    return new WebhookHarness(server, connect(server.url));
  }

  /** Sets the endpoint as an operator does. @returns the secret of a V4 endpoint */
  async endpoint(
    merchantId: string,
    url: string,
    {
      kind = 'v4',
      standardHeaders = false,
    }: { kind?: 'v4' | 'v3'; standardHeaders?: boolean } = {},
  ): Promise<string> {
    await this.database.query(
      `insert into merchants (merchant_id, name, timezone, country, hosts)
         values ($1, $1, 'Africa/Nairobi', 'KE', '{localhost,127.0.0.1}') on conflict do nothing`,
      [merchantId],
    );
    await this.database.query(
      `insert into webhook_endpoints (merchant_id, mode, kind, from_position, url, enabled, standard_headers)
         values ($1, 'demo', $2, 1, $3, true, $4)`,
      [merchantId, kind, url, standardHeaders],
    );
    return kind === 'v4' ? this.newSecret(merchantId) : '';
  }

  /** Sets the V4 endpoint again, as a person does: its row ends, and a new one with this URL follows. */
  async moveEndpoint(merchantId: string, url: string): Promise<void> {
    await this.database.query(
      `update webhook_endpoints set to_position = from_position + 1
         where merchant_id = $1 and mode = 'demo' and kind = 'v4' and to_position is null`,
      [merchantId],
    );
    await this.database.query(
      `insert into webhook_endpoints (merchant_id, mode, kind, from_position, url, enabled, standard_headers)
         select merchant_id, mode, kind, max(to_position), $2, true, false from webhook_endpoints
           where merchant_id = $1 and mode = 'demo' and kind = 'v4' group by merchant_id, mode, kind`,
      [merchantId, url],
    );
  }

  async newSecret(merchantId: string): Promise<string> {
    const secrets = new RecordedWebhookSecrets(this.database, this.keyring);
    const [endpoint, id] = [keyOf(merchantId), randomUUID()];
    await secrets.make(endpoint, id);
    return (await secrets.settle(endpoint, id, BigInt((this.#sequence += 1)))) ?? '';
  }

  /** Makes this many webhooks due. @returns their ids */
  async owe(
    merchantId: string,
    count = 1,
    {
      kind = 'v4',
      callbackUrl,
      createdBy,
    }: {
      kind?: 'v4' | 'v3';
      callbackUrl?: string;
      /** The credential that the collections' first events name. */
      createdBy?: string;
    } = {},
  ): Promise<readonly string[]> {
    const events = Array.from({ length: count }, () => {
      const [id, sequence] = [randomUUID(), (this.#sequence += 1)];
      return { id, sequence, body: bodyOf(id, sequence) };
    });
    if (createdBy !== undefined)
      for (const { sequence } of events)
        await this.record({ merchantId, reference: referenceOf(sequence) }, createdBy);
    await this.database.query(
      `with told as (select * from json_to_recordset($2) as told (id uuid, sequence bigint, body text)),
         events as (
           insert into webhook_events (merchant_id, mode, sequence, id, type, position, recorded_at, callback_url, body)
           select $1, 'demo', sequence, id, 'collection.completed', sequence, records.now_(), $4, body from told)
       insert into records.webhook_deliveries (webhook_id, kind, merchant_id, mode, sequence, type, owed_at, callback_host)
         select id, $3, $1, 'demo', sequence, 'collection.completed', records.now_(), $5 from told`,
      [
        ...[merchantId, JSON.stringify(events), kind, callbackUrl ?? null],
        callbackUrl === undefined ? '' : new URL(callbackUrl).hostname,
      ],
    );
    for (const { step } of this.#workers) step.wake();
    return events.map(({ id }) => id);
  }

  /** The first events of a demo collection. */
  private async record(
    of: { readonly merchantId: string; readonly reference: string },
    createdBy: string,
  ): Promise<void> {
    const ofActor = (kind: 'credential' | 'rail', id: string) => ({
      id: randomUUID(),
      event: { type: 'Spec', data: {} },
      metadata: { v: 1, correlationId: 'spec', actor: { kind, id } },
    });
    const events = [ofActor('credential', createdBy), ofActor('rail', 'mpesa')];
    await this.log.append(collectionStream({ ...of, mode: 'demo' }), 'no_stream', events);
  }

  work(options: WorkerOptions = {}): RunningWorker {
    // Longer than any attempt on a busy machine: one that ran out of time would be made again.
    const { leaseMs = 90_000, statusWithinMs = 60_000, clockOffsetMs = 0 } = options;
    const store = new ReachedLog(this.log, options.atLog ?? (() => Promise.resolve()));
    const database = connect(this.server.url, clockOffsetMs);
    const recorded = new DeliveryQueue(database);
    const queue = options.queue?.(recorded) ?? recorded;
    const [metrics, commands] = [new Metrics(), [] as SetWebhookEndpoint[]];
    const sender = new WebhookSender({
      allowPrivate: true,
      maxConnections: maxBound,
      limits: { statusWithinMs, bodyWithinMs: 100 },
    });
    const bus = {
      execute: (command: SetWebhookEndpoint) => {
        commands.push(command);
        return Promise.resolve(ok(undefined));
      },
    } as unknown as CommandBus;
    const secrets = new EndpointSecrets(database, this.keyring);
    const told = new WebhookOptions({ allowPrivate: true, leaseMs });
    const reports = new DeliveryReports(bus, new UuidIds(), metrics);
    const attempts = new Attempts(sender, secrets, new SystemClock(), store);
    const deliveries = new Deliveries(queue, attempts, reports, told);
    const step = new DeliveryStep(queue, deliveries, told, new SystemTimer());
    const ended = new AbortController();
    const running = (async () => {
      while (!ended.signal.aborted) await step.step();
    })();
    const worker: RunningWorker = {
      step,
      commands,
      metrics,
      stop: async () => {
        ended.abort();
        step.wake();
        await running;
        await sender.close();
        await step.settle(2000);
        await database.close();
      },
    };
    this.#workers.push(worker);
    return worker;
  }

  /** Ends the workers of a test. */
  async rest(): Promise<void> {
    await Promise.all(this.#workers.splice(0).map((worker) => worker.stop()));
  }

  deliveries(merchantId: string): Promise<
    readonly {
      readonly webhook_id: string;
      readonly attempts: number;
      readonly outcome: string | null;
      readonly waits: boolean;
    }[]
  > {
    return this.database.query(
      `select webhook_id, attempts, outcome, next_attempt_at is not null as waits
         from records.webhook_deliveries where merchant_id = $1 order by sequence`,
      [merchantId],
    );
  }

  /** Returns the outcome of each attempt, in order. */
  async attempts(merchantId: string): Promise<readonly string[]> {
    const rows = await this.database.query<{ outcome: string }>(
      `select a.outcome from records.webhook_attempts a join records.webhook_deliveries d using (webhook_id, kind)
         where merchant_id = $1 order by started_at, attempt`,
      [merchantId],
    );
    return rows.map(({ outcome }) => outcome);
  }

  /** Makes the merchant's waiting deliveries older. */
  async pass(merchantId: string, ms: number): Promise<void> {
    for (const [table, columns] of [
      ['webhook_deliveries', ['next_attempt_at', 'owed_at', 'ended_at']],
      ['webhook_circuits', ['closed_until', 'failing_since', 'refusing_since']],
    ] as const)
      await this.database.query(
        `update records.${table} set ${columns.map((of) => `${of} = ${of} - $2 * interval '1 millisecond'`).join()}
           where merchant_id = $1`,
        [merchantId, ms],
      );
    for (const { step } of this.#workers) step.wake();
  }

  async stop(): Promise<void> {
    await this.rest();
    await this.database.close();
    await this.server.drop();
  }
}

export function keyOf(merchantId: string, kind: 'v4' | 'v3' = 'v4'): WebhookEndpointKey {
  return { merchantId, mode: 'demo', kind };
}

function connect(url: string, clockOffsetMs = 0): Database {
  return new Database({
    ...patientPool,
    url,
    app: 'spec',
    logger,
    searchPath: [schema],
    poolSize: 3,
    clockOffsetMs,
  });
}

function referenceOf(sequence: number): string {
  return `Ä-${sequence}`;
}

function bodyOf(id: string, sequence: number): string {
  return JSON.stringify({
    id,
    type: 'collection.completed',
    created_at: '2026-01-01T00:00:00.000Z',
    mode: 'demo',
    sequence,
    data: {
      type: 'collection',
      reference: referenceOf(sequence),
      status: 'completed',
      amount_minor: 25_000,
      currency: 'KES',
      account_no: '1000000001',
      rail_reference: 'ws_CO_1',
      receipt: 'SBX1',
    },
  });
}
