import { randomUUID } from 'node:crypto';
import { encodeCursor } from '#views/transactions';
import { checkoutHashV4, newSecret } from '#shared/signing';
import { freePort } from '#infra/local-servers';
import { LoadGenerator } from '../load/generator.js';
import { createCalls } from '../load/collection-requests.js';
import { refuseOthersThan } from '../load/bursts.js';
import { type BenchCase, type Conditions, type Findings, measurement } from '../measurement.js';
import { firstRow, type GrownMerchant, grow } from '../servers/grown-merchant.js';
import { positionStep } from '../servers/list-rows.js';
import { startNode } from '../servers/node-process.js';
import { type Answer, type Portal, startPortal } from '../servers/portal.js';
import { untilCaughtUp } from '../servers/projection.js';
import { startService } from '../servers/service.js';
import { totalAnonMb } from '../servers/usage.js';
import { ascending, quantile } from '../statistics.js';

/** The transactions of the merchant whose people open the pages. */
const rows = 1_000_000;
/** The number that are in the log as well, because their own pages are read from it. */
const inLog = 20;
const warmUp = 5;
const phone = '254712345678';

/** Every kind of page of the portal, one request at a time, for a signed-in person. */
export const pages: BenchCase = {
  name: 'pages',
  seconds: 60,
  about:
    'p50 and p99 of each kind of page of the portal, one at a time, with 1 million transactions of one merchant. The floor is a bare Fastify server that checks a hash and answers as many bytes as the median page has.',
  run: measure,
};

async function measure({ fixture, seconds }: Conditions): Promise<Findings> {
  const service = await startService(fixture, { SIMULATOR_DELAY: '10ms' });
  const load = new LoadGenerator();
  try {
    await load.sign(service.merchant, createCalls(inLog, service.merchant.accountNo));
    refuseOthersThan(
      [202],
      await load.send({ port: service.port, connections: 4, withinMs: 30_000 }),
    );
    await untilCaughtUp(service);
    const portal = await startPortal(fixture, service);
    const reference = await referenceInLog(portal, service.merchant.merchantId);
    const grown = fixture.scaled(rows);
    const merchant = await grow(service, grown);
    const kinds = kindsOf({ rows: grown, ...merchant, ...service.merchant, reference });
    const found = new Map<string, { readonly times: number[]; readonly bytes: number }>();
    for (const [name, page] of Object.entries(kinds))
      found.set(name, await look(portal, page, (seconds * 1000) / Object.keys(kinds).length));
    const sizes = [...found.values()].map(({ bytes }) => bytes).sort(ascending);
    const floor = await bare(fixture, quantile(sizes, 0.5));
    const anon_mb = totalAnonMb(await service.usage());
    return {
      measurements: [...found].flatMap(([name, { times }]) =>
        [0.5, 0.99].map((share) =>
          measurement({
            name: `page_${name}_p${share * 100}`,
            value: quantile(times, share),
            unit: 'ms',
            floor: quantile(floor, share),
            anon_mb,
          }),
        ),
      ),
      notes: [
        `pages: the median page has ${quantile(sizes, 0.5)} bytes, and the largest answer ${sizes.at(-1)}`,
      ],
    };
  } finally {
    load.stop();
    await service.stop();
  }
}

/** A page, or a form whose answer is a page. */
interface Page {
  readonly target: () => string;
  readonly form?: () => Readonly<Record<string, string>>;
  /** A text that the page must contain, so that no empty or failed page is measured. */
  readonly shows?: string;
}

interface Scene extends GrownMerchant {
  readonly rows: number;
  readonly merchantId: string;
  readonly accountNo: string;
  /** The reference of a collection in the log. */
  readonly reference: string;
}

function kindsOf(scene: Scene): Readonly<Record<string, Page>> {
  const { merchantId, accountNo, reference, rows: grown, lastDay, middleDay } = scene;
  const base = `/portal/merchants/${merchantId}/demo`;
  const row = (): number => firstRow + 1 + Math.floor(Math.random() * (grown - firstRow));
  const page = (target: string | (() => string), shows?: string): Page => ({
    target: typeof target === 'string' ? () => target : target,
    ...(shows !== undefined && { shows }),
  });
  const find = (word: () => string): Page => ({
    target: () => '/portal/find',
    form: () => ({ q: word() }),
  });
  const month = `from=${lastDay.slice(0, 8)}01&to=${lastDay}`;
  return {
    home: page(`${base}/home`, 'KES'),
    list: page(`${base}/transactions`, 'row-'),
    list_within: page(
      () => `${base}/transactions?cursor=${encodeCursor(BigInt(row() * positionStep))}`,
      'row-',
    ),
    list_status: page(`${base}/transactions?status=failed`, 'row-'),
    list_days: page(
      `${base}/transactions?from=${middleDay}&to=${lastDay}&date_field=paid_at&status=completed`,
      'row-',
    ),
    // Ten rows begin alike, so the beginning is searched for.
    list_find: {
      target: () => `${base}/transactions/find`,
      form: () => ({ word: `row-${row()}`.slice(0, -1) }),
      shows: 'row-',
    },
    item: page(`${base}/items/collection/${reference}`, reference),
    days: page(`${base}/days?to=${lastDay}`, `${base}/days/`),
    day: page(`${base}/days/${lastDay}`, 'KES'),
    day_in_the_middle: page(`${base}/days/${middleDay}`, 'KES'),
    statement: page(`${base}/statement`, accountNo),
    payouts: page(`${base}/payouts`),
    payout_ask: page(`${base}/payouts/ask`),
    batch_ask: page(`${base}/payouts/batches`),
    keys: page(`${base}/keys`),
    webhooks: page(`${base}/webhooks`),
    requests: page(`${base}/requests`),
    signature: page(`${base}/signature`),
    v3: page(`${base}/v3`),
    find_reference: find(() => `row-${row()}`),
    find_receipt: find(() => `R${row()}`),
    find_rail_reference: find(() => `ws_CO_${row()}`),
    find_account: find(() => accountNo),
    find_nothing: find(() => randomUUID()),
    find_phone: { target: () => '/portal/find/phone', form: () => ({ phone }), shows: reference },
    operator_item: page(`/portal/items/demo/${merchantId}/collection/${reference}`, reference),
    merchants: page('/portal/merchants', merchantId.slice(-6)),
    status: page('/portal/status'),
    waiting: page('/portal/waiting'),
    reviews: page('/portal/reviews', 'row-'),
    corrections: page('/portal/corrections'),
    seals: page('/portal/audit'),
    proof: page(`/portal/audit/proof?reference=${reference}&merchant=${merchantId}&mode=demo`),
    roles: page('/portal/audit/roles', 'Bench'),
    people: page('/portal/audit/people', 'Bench'),
    evidence: page('/portal/audit/evidence'),
    statement_file: page(
      `${base}/statement/file?account=${accountNo}&${month}&format=csv`,
      'closing_balance',
    ),
  };
}

/** @returns milliseconds of each answer, ascending, and the bytes of one */
async function look(portal: Portal, page: Page, withinMs: number) {
  for (let index = 0; index < warmUp; index += 1) await shown(portal, page);
  const times: number[] = [];
  let bytes = 0;
  const endAt = performance.now() + withinMs;
  while (performance.now() < endAt || times.length < warmUp) {
    const answer = await shown(portal, page);
    times.push(answer.ms);
    bytes = Math.max(bytes, answer.bytes);
  }
  return { times: times.sort(ascending), bytes };
}

/** @throws if it is not the expected page */
async function shown(portal: Portal, { target, form, shows }: Page): Promise<Answer> {
  const at = target();
  const answer = await portal.ask(at, form?.());
  if (answer.status !== 200 && answer.status !== 303)
    throw new Error(`${at} was answered ${answer.status}`);
  if (shows !== undefined && !answer.text.includes(shows) && answer.status === 200)
    throw new Error(`${at} does not show ${shows}: ${answer.text.slice(0, 6000)}`);
  return answer;
}

/** Returns the reference of a collection that is both in the log and in the list. */
async function referenceInLog(portal: Portal, merchantId: string): Promise<string> {
  const { text } = await portal.ask(`/portal/merchants/${merchantId}/demo/transactions`);
  const found = /\/items\/collection\/([^"?]+)"/.exec(text)?.[1];
  if (found === undefined) throw new Error('no collection is in the list');
  return decodeURIComponent(found);
}

/** Measures a page with this many bytes from a bare server. @returns milliseconds of each answer, ascending */
async function bare(fixture: Conditions['fixture'], bytes: number): Promise<number[]> {
  const [port, secret] = [await freePort(), newSecret()];
  const server = await startNode(fixture, {
    name: 'bare-page-server',
    module: 'bench/floors/bare-page-server',
    folder: await fixture.folder('floor'),
    env: { PORT: String(port), SECRET: secret, PAGE_BYTES: String(bytes) },
    port,
    isFloor: true,
  });
  const hash = checkoutHashV4(secret, 'page=1');
  const target = `http://127.0.0.1:${port}/checkout?page=1&hash=${hash.ok ? hash.value : ''}`;
  const times: number[] = [];
  for (let index = 0; index < 500; index += 1) {
    const askedAt = performance.now();
    const answer = await fetch(target);
    await answer.arrayBuffer();
    if (answer.status !== 200) throw new Error(`the floor answered ${answer.status}`);
    times.push(performance.now() - askedAt);
  }
  await server.stop();
  return times.slice(100).sort(ascending);
}
