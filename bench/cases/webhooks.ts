import { RecordedWebhookSecrets } from '#records/webhooks';
import { Database } from '#infra/postgres';
import { createLogger, parseMasterKeys } from '#infra/runtime';
import { Keyring, webhookHeaders } from '#shared/signing';
import { viewSchema } from '#views/view-set';
import { webhooksChannel } from '#views/webhook-outbox';
import { createSecretKey, randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { refuseOthersThan } from '../load/bursts.js';
import { createCalls } from '../load/collection-requests.js';
import { LoadGenerator } from '../load/generator.js';
import { untilDue } from '../load/until-due.js';
import {
  type BenchCase,
  type Conditions,
  type Findings,
  type Measurement,
  measurement,
} from '../measurement.js';
import { untilCaughtUp } from '../servers/projection.js';
import { type Service, startService } from '../servers/service.js';
import { describe, spentBetween, totalAnonMb } from '../servers/usage.js';
import { WebhookReceiver } from '../servers/webhook-receiver.js';
import { ascending, quantile } from '../statistics.js';

/** The webhooks that are due at once to one endpoint, for each second that the case may take. */
const perSecond = 500;
const warmUp = 2000;
const inFlight = 64;
const endpoints = 100;
/** The webhooks due over all endpoints, in even parts. */
const spreadPerSecond = 200;
const ticksPerSecond = 20;
const deadlineMs = 120_000;
/** The collections that are paid. */
const paidPerSecond = 50;
/** The limit for the last due webhook to arrive, except at hanging endpoints. */
const lastMs = 3000;

/** Deliveries to one endpoint as fast as possible, then to a hundred, of which half begin to hang. */
export const webhooks: BenchCase = {
  name: 'webhooks',
  seconds: 20,
  about:
    'Webhooks a second to one healthy endpoint, from owed to recorded as delivered. The floor is the same bodies, signed and posted by bare undici with as many in flight, and not recorded. In `webhooks_hanging`, 50 of 100 endpoints hang, at 200 a second over all. The value is the time from owed to received at the healthy ones, and the floor the same with none hanging. In `webhooks_since_posted`, it is the time from the ledger’s event to the webhook, at 50 collections a second. Its floor is a bare POST at that rate.',
  run: async ({ fixture, seconds }: Conditions): Promise<Findings> => {
    const service = await startService(fixture, { WEBHOOK_ALLOW_PRIVATE: 'on' });
    const scene = await Scene.begin(service, fixture.scaled(warmUp));
    try {
      const one = await toOneEndpoint(scene, seconds);
      const fromEvent = await sincePosted(scene, seconds);
      const many = await toManyEndpoints(scene, seconds);
      return {
        measurements: [...one.measurements, ...fromEvent, ...many],
        notes: one.notes,
      };
    } finally {
      await scene.end();
      await service.stop();
    }
  },
};

interface Owed {
  readonly id: string;
  readonly merchantId: string;
  readonly body: string;
}

/** A receiver, endpoints that point to it, and due rows for them as the projector writes them. */
class Scene {
  readonly #sequences = new Map<string, number>();

  private constructor(
    readonly service: Service,
    readonly database: Database,
    readonly receiver: WebhookReceiver,
    /** The number of webhooks that are sent before the measurement. */
    readonly warmUp: number,
  ) {}

  static async begin(service: Service, warmUp: number): Promise<Scene> {
    const logger = createLogger({ app: 'bench', level: 'fatal' });
    const database = new Database({
      url: service.databaseUrl,
      app: 'bench',
      logger,
      poolSize: 4,
      searchPath: [viewSchema()],
    });
    const scene = new Scene(service, database, await WebhookReceiver.start(), warmUp);
    const masterKeys = parseMasterKeys(service.env['MASTER_KEY'] ?? '');
    if ('problem' in masterKeys) throw new Error(masterKeys.problem);
    const secrets = new RecordedWebhookSecrets(database, Keyring.from(masterKeys));
    for (const merchantId of merchants) {
      await database.query(
        `insert into merchants (merchant_id, name, timezone, country) values ($1, $1, 'Africa/Nairobi', 'KE')`,
        [merchantId],
      );
      await database.query(
        `insert into webhook_endpoints (merchant_id, mode, kind, from_position, url, enabled, standard_headers)
           values ($1, 'demo', 'v4', 0, $2, true, false)`,
        [merchantId, `${scene.receiver.origin}/${merchantId}`],
      );
      const [endpoint, secretId] = [
        { merchantId, mode: 'demo', kind: 'v4' } as const,
        randomUUID(),
      ];
      await secrets.make(endpoint, secretId);
      await secrets.settle(endpoint, secretId, 1n);
    }
    return scene;
  }

  made(merchantId: string): Owed {
    const [id, sequence] = [randomUUID(), (this.#sequences.get(merchantId) ?? 0) + 1];
    this.#sequences.set(merchantId, sequence);
    return { id, merchantId, body: bodyOf(id, sequence) };
  }

  async owe(owed: readonly Owed[]): Promise<void> {
    await this.database.query(owe, [JSON.stringify(owed), webhooksChannel]);
  }

  async untilDelivered(): Promise<void> {
    const left = `select 1 from records.webhook_deliveries where next_attempt_at is not null limit 1`;
    const giveUpAt = performance.now() + deadlineMs;
    while ((await this.database.query(left)).length > 0) {
      if (performance.now() > giveUpAt) throw new Error('not all webhooks were delivered in time');
      await sleep(20);
    }
  }

  async end(): Promise<void> {
    this.receiver.stop();
    await this.database.close();
  }
}

const owe = {
  name: 'bench-owe',
  text: `
  with told as (
    select id, "merchantId" as merchant_id, body, (body::json ->> 'sequence')::bigint as sequence
      from json_to_recordset($1) as told (id uuid, "merchantId" text, body text)),
  events as (
    insert into webhook_events (merchant_id, mode, sequence, id, type, position, recorded_at, body)
    select merchant_id, 'demo', sequence, id, 'collection.completed', 0, records.now_(), body from told),
  owed as (
    insert into records.webhook_deliveries (webhook_id, kind, merchant_id, mode, sequence, type, owed_at)
    select id, 'v4', merchant_id, 'demo', sequence, 'collection.completed', records.now_() from told)
  select pg_notify($2, '')`,
};

const merchants = Array.from({ length: endpoints }, (_, at) => `bench-${at}`);

async function toOneEndpoint(scene: Scene, seconds: number): Promise<Findings> {
  const { service, receiver } = scene;
  const [merchantId = ''] = merchants;
  const many = (count: number) => Array.from({ length: count }, () => scene.made(merchantId));
  await scene.owe(many(scene.warmUp));
  await scene.untilDelivered();
  const owed = many(perSecond * seconds);
  const before = await service.usage();
  const startedAt = performance.now();
  await scene.owe(owed);
  await scene.untilDelivered();
  const value = (owed.length * 1000) / (performance.now() - startedAt);
  const usage = await service.usage();
  if (owed.some(({ id }) => !receiver.cameAt.has(id))) throw new Error('a webhook did not come');
  await bare(receiver, many(scene.warmUp));
  const floor = await bare(receiver, many(owed.length));
  return {
    measurements: [
      measurement({ name: 'webhooks', value, unit: '/s', floor, anon_mb: totalAnonMb(usage) }),
    ],
    notes: [
      `webhooks: ms of processor each: ${describe(spentBetween(before, usage), owed.length)}`,
    ],
  };
}

/** @returns posts a second */
async function bare({ origin }: WebhookReceiver, owed: readonly Owed[]): Promise<number> {
  const pool = new Pool(origin, { connections: inFlight, pipelining: 1 });
  const secret = createSecretKey(randomBytes(32));
  const left = owed[Symbol.iterator]();
  const startedAt = performance.now();
  const post = async (): Promise<void> => {
    for (let next = left.next(); !next.done; next = left.next()) {
      const { id, body, merchantId } = next.value;
      const timestamp = Math.floor(Date.now() / 1000).toString();
      const headers = webhookHeaders({ id, timestamp, body }, [secret], { standard: false });
      const path = `/${merchantId}`;
      const answer = await pool.request({ method: 'POST', path, headers, body });
      await answer.body.dump();
    }
  };
  await Promise.all(Array.from({ length: inFlight }, post));
  const rate = (owed.length * 1000) / (performance.now() - startedAt);
  await pool.close();
  return rate;
}

/** Pays collections at a fixed rate. Each causes a webhook as soon as it is posted. */
async function sincePosted(scene: Scene, seconds: number): Promise<Measurement[]> {
  const { service, receiver } = scene;
  const { merchant, port } = service;
  const url = receiver.origin + receiver.timedPath;
  const of = ['--merchant', merchant.merchantId, '--mode', 'demo'];
  await service.operate('webhook', 'set', '--url', url, ...of);
  await untilCaughtUp(service);
  const maker = new LoadGenerator();
  const send = async (count: number): Promise<readonly number[]> => {
    const told = receiver.sinceEvent.length;
    await maker.sign(merchant, createCalls(count, merchant.accountNo));
    const shot = { port, connections: inFlight, withinMs: deadlineMs, perSecond: paidPerSecond };
    refuseOthersThan([202], await maker.send(shot));
    await untilCaughtUp(service);
    await scene.untilDelivered();
    const found = receiver.sinceEvent.slice(told);
    if (found.length < count) throw new Error('a collection was not told of');
    return found.toSorted(ascending);
  };
  try {
    await send(5 * paidPerSecond);
    const found = await send(seconds * paidPerSecond);
    const floor = await bareTimes(receiver, seconds * paidPerSecond);
    const anon_mb = totalAnonMb(await service.usage());
    return [0.5, 0.99].map((share) =>
      measurement({
        name: `webhooks_since_posted_p${share * 100}`,
        value: quantile(found, share),
        unit: 'ms',
        floor: quantile(floor, share),
        anon_mb,
      }),
    );
  } finally {
    maker.stop();
  }
}

/** Posts at the same rate. @returns milliseconds, ascending */
async function bareTimes({ origin }: WebhookReceiver, count: number): Promise<number[]> {
  const pool = new Pool(origin, { connections: inFlight, pipelining: 1 });
  const begin = performance.now();
  const times = await Promise.all(
    Array.from({ length: count }, async (_, at) => {
      const from = await untilDue(begin + (at * 1000) / paidPerSecond);
      const body = bodyOf(randomUUID(), at);
      const answer = await pool.request({ method: 'POST', path: '/bare', body });
      await answer.body.dump();
      return performance.now() - from;
    }),
  );
  await pool.close();
  return times.sort(ascending);
}

async function toManyEndpoints(scene: Scene, seconds: number): Promise<Measurement[]> {
  const healthy = new Set(merchants.filter((_, at) => at % 2 === 0));
  await spread(scene, healthy, 5);
  const floor = await spread(scene, healthy, seconds);
  for (const merchantId of merchants)
    if (!healthy.has(merchantId)) scene.receiver.hanging.add(`/${merchantId}`);
  const found = await spread(scene, healthy, seconds);
  const anon_mb = totalAnonMb(await scene.service.usage());
  return [0.5, 0.99].map((share) =>
    measurement({
      name: `webhooks_hanging_p${share * 100}`,
      value: quantile(found, share),
      unit: 'ms',
      floor: quantile(floor, share),
      anon_mb,
    }),
  );
}

/**
 * Makes webhooks due at an even rate to all endpoints.
 * @returns milliseconds from due to received at the healthy ones, ascending
 */
async function spread(
  scene: Scene,
  healthy: ReadonlySet<string>,
  seconds: number,
): Promise<number[]> {
  const begin = performance.now();
  const owedAt = new Map<string, number>();
  let at = 0;
  for (let tick = 0; tick < seconds * ticksPerSecond; tick += 1) {
    const dueAt = await untilDue(begin + (tick * 1000) / ticksPerSecond);
    const owed = Array.from({ length: spreadPerSecond / ticksPerSecond }, () => {
      // A step that is coprime to the number of endpoints, so that every tick has healthy ones and others.
      at = (at + 37) % endpoints;
      return scene.made(merchants[at] ?? '');
    });
    for (const { id, merchantId } of owed) if (healthy.has(merchantId)) owedAt.set(id, dueAt);
    await scene.owe(owed);
  }
  await sleep(lastMs);
  return [...owedAt]
    .map(([id, dueAt]) => {
      const cameAt = scene.receiver.cameAt.get(id);
      if (cameAt === undefined) throw new Error('a webhook of a healthy endpoint did not come');
      return cameAt - dueAt;
    })
    .sort(ascending);
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
      reference: id,
      status: 'completed',
      amount_minor: 25_000,
      currency: 'KES',
      fee_minor: 375,
      id,
      account_no: '1000000001',
      channel: 'mpesa',
      rail_reference: 'ws_CO_1',
      receipt: 'SBX1',
      failure_code: null,
      under_review: false,
      created_at: '2026-01-01T00:00:00.000Z',
      completed_at: '2026-01-01T00:00:00.000Z',
    },
  });
}
