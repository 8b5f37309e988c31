import pg from 'pg';
import { encodeCursor } from '#views/transactions';
import { viewSchema } from '#views/view-set';
import { insertClaims } from '../servers/history.js';
import { type Portal } from '../servers/portal.js';
import { type Service } from '../servers/service.js';
import { ascending, quantile } from '../statistics.js';
import { refuseOthersThan } from './bursts.js';
import { createCalls } from './collection-requests.js';
import { type LoadGenerator } from './generator.js';
import { type UnsignedRequest } from './protocol.js';

const pagesPerSecond = 200;
const warmUp = 20;
const dayMs = 86_400_000;

/** Values to ask for, at random places of the history. */
interface Sample {
  readonly reference: string;
  readonly position: string;
  readonly day: string;
}

/** A service with a history, and its load generators. */
export interface Scene {
  readonly service: Service;
  readonly reader: LoadGenerator;
  readonly payer: LoadGenerator;
  /** The collections that come in meanwhile. */
  readonly perSecond: number;
  readonly samples: readonly Sample[];
}

/** Returns a thousand places of the history, once its views have what the API would have written, too. */
export async function samplesOf(
  { databaseUrl }: Service,
  rows: number,
): Promise<readonly Sample[]> {
  const database = new pg.Client({ connectionString: databaseUrl });
  await database.connect();
  try {
    await database.query(`set search_path to ${viewSchema()}`);
    await database.query(insertClaims);
    await database.query('vacuum analyze');
    const { rows: found } = await database.query<Sample>(
      `select reference, position::text, created_on::text as day
       from transactions where mod(abs(hashtext(stream)), greatest(1, $1::int / 1000)) = 0 limit 1000`,
      [rows],
    );
    return found;
  } finally {
    await database.end();
  }
}

type Ask = () => string;

/** @returns the p99 of each kind in milliseconds */
export async function measureEach(
  kinds: Readonly<Record<string, Ask>>,
  seconds: number,
  read: (ask: Ask, seconds: number) => Promise<readonly number[]>,
): Promise<ReadonlyMap<string, number>> {
  const found = new Map<string, number>();
  for (const [name, ask] of Object.entries(kinds))
    found.set(name, quantile(await read(ask, seconds / Object.keys(kinds).length), 0.99));
  return found;
}

function any<T>(items: readonly T[]): T {
  const item = items[Math.floor(Math.random() * items.length)];
  if (item === undefined) throw new Error('there is nothing to ask for');
  return item;
}

export function listsOf({ samples, service }: Scene): Readonly<Record<string, Ask>> {
  const { accountNo } = service.merchant;
  const list =
    (query: () => string): Ask =>
    () =>
      `/api/v4/transactions${query()}`;
  const day = (): string => any(samples).day;
  const week = (): string => {
    const from = day();
    const to = new Date(Date.parse(from) + 6 * dayMs).toISOString().slice(0, 10);
    return `from=${from}&to=${to}`;
  };
  const cursor = (): string => `cursor=${encodeCursor(BigInt(any(samples).position))}`;
  return {
    list: list(() => ''),
    list_within: list(() => `?${cursor()}`),
    list_status: list(() => `?status=completed&${cursor()}`),
    list_failed: list(() => '?status=failed'),
    list_type: list(() => '?type=payout'),
    list_created: list(() => `?${week()}`),
    list_completed: list(() => `?date_field=completed_at&${week()}`),
    list_paid: list(() => `?date_field=paid_at&status=completed&${week()}&${cursor()}`),
    collection: () => `/api/v4/collections/${any(samples).reference}`,
    balance: () => `/api/v4/accounts/${accountNo}/balance`,
  };
}

export function pagesOf({ samples, service }: Scene): Readonly<Record<string, Ask>> {
  const { merchantId, accountNo } = service.merchant;
  const base = `/portal/merchants/${merchantId}/demo`;
  const day = (): string => any(samples).day;
  return {
    home: () => `${base}/home`,
    list: () => `${base}/transactions`,
    list_status: () => `${base}/transactions?status=failed`,
    item: () => `${base}/items/collection/${any(samples).reference}`,
    days: () => `${base}/days`,
    day: () => `${base}/days/${day()}`,
    statement: () => `${base}/statement?account=${accountNo}`,
    merchants: () => '/portal/merchants',
    reviews: () => '/portal/reviews',
  };
}

/** @returns milliseconds of each answer, ascending */
export async function signedReads(
  scene: Scene,
  ask: Ask,
  seconds: number,
): Promise<readonly number[]> {
  const { service, reader } = scene;
  const reads = (count: number): UnsignedRequest[] =>
    Array.from({ length: count }, () => ({ method: 'GET', url: ask() }));
  await reader.sign(service.merchant, reads(warmUp + Math.ceil(seconds * pagesPerSecond)));
  return whilePaid(scene, seconds, async () => {
    const burst = await reader.send({
      port: service.port,
      connections: 1,
      withinMs: seconds * 1000,
    });
    refuseOthersThan([200], burst);
    return burst.latencies;
  });
}

/** @returns milliseconds of each answer, ascending */
export function portalReads(
  scene: Scene & { readonly portal: Portal },
  ask: Ask,
  seconds: number,
): Promise<readonly number[]> {
  return whilePaid(scene, seconds, async () => {
    const times: number[] = [];
    const endAt = performance.now() + seconds * 1000;
    while (performance.now() < endAt || times.length < 2) {
      const target = ask();
      const answer = await scene.portal.ask(target);
      if (answer.status !== 200) throw new Error(`${target} was answered ${answer.status}`);
      times.push(answer.ms);
    }
    return times.sort(ascending);
  });
}

/** Reads while collections come in. They are signed before, and all must be taken. */
async function whilePaid<T>(
  { service, payer, perSecond }: Scene,
  seconds: number,
  read: () => Promise<T>,
): Promise<T> {
  const { merchant, port } = service;
  await payer.sign(merchant, createCalls(Math.ceil(perSecond * seconds), merchant.accountNo));
  const sending = payer.send({
    port,
    connections: 256,
    perSecond,
    withinMs: seconds * 1000,
  });
  const [found, burst] = await Promise.all([read(), sending]);
  refuseOthersThan([202], burst);
  return found;
}
