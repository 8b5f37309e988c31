import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { checkoutHashV4 } from '#shared/signing';
import { freePort } from '#infra/local-servers';
import { untilDue } from '../load/until-due.js';
import { type BenchCase, type Conditions, type Findings, measurement } from '../measurement.js';
import { startNode } from '../servers/node-process.js';
import { type Service, startService } from '../servers/service.js';
import { totalAnonMb } from '../servers/usage.js';
import { ascending, quantile } from '../statistics.js';

/** The required rate: this many customers a second load their page. */
const pagesPerSecond = 50;
const warmUpSeconds = 2;
/** A key is in the views within a second. */
const visibleTries = 50;
/** So many links share the views of waiting pages that each stays below the page's own limit, five a second. */
const waitingLinks = 10;

/**
 * The hosted page: a GET every 20 ms, even if those before it have no answer yet, timed from the moment at which it was
 * due. Half are unused links, half are links of collections that wait.
 */
export const checkout: BenchCase = {
  name: 'checkout',
  seconds: 20,
  about:
    'p50 and p99 of the hosted page at 50 a second, timed from when each was due, against a bare Fastify server that checks the same hash and answers as many bytes.',
  run: measure,
};

async function measure({ fixture, seconds }: Conditions): Promise<Findings> {
  // No one answers the prompt meanwhile, so the collection waits throughout.
  const service = await startService(fixture, { SIMULATOR_DELAY: '1h', RAIL_QUERY_DELAYS: '1h' });
  const floorPort = await freePort();
  try {
    const links = await shopOf(service);
    const waiting = Array.from({ length: waitingLinks }, () => links());
    let pageBytes = 0;
    for (const link of waiting) pageBytes = await payOn(service.port, link);
    const floorServer = await startNode(fixture, {
      name: 'bare-page-server',
      module: 'bench/floors/bare-page-server',
      folder: await fixture.folder('floor'),
      env: { PORT: String(floorPort), SECRET: links.secret, PAGE_BYTES: String(pageBytes) },
      port: floorPort,
      isFloor: true,
    });
    const pairs = Math.ceil((seconds * pagesPerSecond) / 2 / waitingLinks);
    const pages = Array.from({ length: pairs }, () =>
      waiting.flatMap((link) => [links(), link]),
    ).flat();
    await look(service.port, pages.slice(0, warmUpSeconds * pagesPerSecond));
    const found = await look(service.port, pages);
    await look(floorPort, pages.slice(0, warmUpSeconds * pagesPerSecond));
    const floor = await look(floorPort, pages);
    await floorServer.stop();
    const anon_mb = totalAnonMb(await service.usage());
    const measurements = [0.5, 0.99].map((share) =>
      measurement({
        name: `checkout_p${share * 100}`,
        value: quantile(found, share),
        unit: 'ms',
        floor: quantile(floor, share),
        anon_mb,
      }),
    );
    return { measurements, notes: [`a page has ${pageBytes} bytes`] };
  } finally {
    await service.stop();
  }
}

/** Makes the queries of unused links. */
type Links = (() => string) & { readonly secret: string };

async function shopOf(service: Service): Promise<Links> {
  const { merchantId, accountNo } = service.merchant;
  const of = ['--merchant', merchantId];
  await service.operate('hosts', 'set', '--hosts', 'shop.example', ...of);
  const key = await service.operate(
    ...['credential', 'issue', '--kind', 'checkout', '--mode', 'demo', '--holder', 'bench', ...of],
  );
  const secret = key['checkout_secret'] ?? '';
  const make = (): string => {
    const query = new URLSearchParams({
      account_no: accountNo,
      amount_minor: '125000',
      currency: 'KES',
      reference: `bench-${randomUUID()}`,
      return_url: 'https://shop.example/paid',
      key_id: key['checkout_key_id'] ?? '',
      nonce: randomUUID(),
      timestamp: Math.floor(Date.now() / 1000).toString(),
    }).toString();
    const hash = checkoutHashV4(secret, query);
    return `${query}&hash=${hash.ok ? hash.value : ''}`;
  };
  return Object.assign(make, { secret });
}

/** Pays on a link as a browser would. @returns how many bytes its page has */
async function payOn(port: number, query: string): Promise<number> {
  const address = `http://127.0.0.1:${port}/checkout?${query}`;
  for (let attempt = 1; ; attempt += 1) {
    const page = await fetch(address);
    const text = await page.text();
    if (page.status !== 200) {
      if (attempt === visibleTries) throw new Error(`the page was answered ${page.status}`);
      await sleep(100);
      continue;
    }
    const token = /name="token" value="([^"]*)"/.exec(text)?.[1] ?? '';
    const posted = await fetch(address, {
      method: 'POST',
      body: new URLSearchParams({ token, attempt: '1', phone: '0712345678' }),
      headers: { cookie: page.headers.get('set-cookie')?.split(';')[0] ?? '' },
      redirect: 'manual',
    });
    if (posted.status !== 303) throw new Error(`the form was answered ${posted.status}`);
    return text.length;
  }
}

/** @returns milliseconds, ascending */
async function look(port: number, queries: readonly string[]): Promise<number[]> {
  const begin = performance.now();
  const latencies = await Promise.all(
    queries.map(async (query, index) => {
      const dueAt = await untilDue(begin + (index * 1000) / pagesPerSecond);
      const answer = await fetch(`http://127.0.0.1:${port}/checkout?${query}`);
      await answer.arrayBuffer();
      if (answer.status !== 200) throw new Error(`a page was answered ${answer.status}`);
      return performance.now() - dueAt;
    }),
  );
  return latencies.sort(ascending);
}
