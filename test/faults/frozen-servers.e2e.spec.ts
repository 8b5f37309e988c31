import {
  eventually,
  FaultyLink,
  type MerchantClient,
  type OwnServers,
  type ServerName,
  type Service,
  startOwnServers,
  startService,
  secondHolder,
} from '#testing';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { expectAgreement, expectPayoutsAgree, settled } from './agreed.js';
import { issueV3 } from '../e2e/v3-client.js';
import { AirtelProcess } from '../rail/airtel-process.js';
import { airtelPhones, type Load, phones as mpesaPhones, underLoad } from './load.js';
import { airtelPayoutPhones, funded, payoutPhones as mpesaPayoutPhones } from './payouts.js';
import { readinessOf, steadyAgain, steadyWithinMs } from './steady.js';

const names = ['eventstore', 'postgres', 'redis'] as const satisfies ServerName[];

/** Longer than every deadline of the calls to it, so that a call is not merely slow. */
const frozenMs = { eventstore: 6_000, postgres: 11_000, redis: 3_000 } as const;

/**
 * The latest answer to a request while one server is down, whatever the request needs of it. A command of Redis has 1
 * s; an append or a read 5 s; a statement 3 s for its connection and 7 s for its answer. The rest gets another second.
 */
const answeredWithinMs = { eventstore: 11_000, postgres: 11_000, redis: 2_000 } as const;
/** Maximum ratio to the healthy service's slowest answer, besides the deadlines. */
const slowerThanHealthy = 3;
let slowestHealthyMs = 0;

/** A key whose owner broke off may stay claimed for a minute (COL-16), even if everything else has recovered. */
const deadlineMs = 120_000;

const bothRails = {
  phones: [...mpesaPhones, ...airtelPhones],
  payoutPhones: [...mpesaPayoutPhones, ...airtelPayoutPhones],
} as const;

let servers: OwnServers;
let service: Service;
let airtel: AirtelProcess;
/** Named after the fault in which they were sent. */
const references: string[] = [];
const payouts: string[] = [];
let checker: MerchantClient;
const links = new Map<ServerName, FaultyLink>();
beforeAll(async () => {
  servers = await startOwnServers();
  const { EVENTSTORE_URL, DATABASE_URL, REDIS_URL } = servers.env;
  airtel = await AirtelProcess.begin();
  service = await startService({
    ...(await airtel.settings()),
    EVENTSTORE_URL: await linked('eventstore', EVENTSTORE_URL),
    DATABASE_URL: await linked('postgres', DATABASE_URL),
    REDIS_URL: await linked('redis', REDIS_URL),
  });
  await airtel.enableFor(service);
  checker = await secondHolder(service);
  references.push(await funded(service));
  slowestHealthyMs = await slowestWithoutFault();
});
afterAll(async () => {
  await service.stop();
  await airtel.stop();
  for (const link of links.values()) await link.close();
  await servers.stop();
});

async function linked(name: ServerName, url: string): Promise<string> {
  const link = await FaultyLink.to(url);
  links.set(name, link);
  return link.through(url);
}

function linkTo(name: ServerName): FaultyLink {
  const link = links.get(name);
  if (!link) throw new Error(`no link to ${name}`);
  return link;
}

/** Runs load with a fault in it, and expects the service to recover without help. */
async function expectToOutlast(
  name: string,
  fault: () => Promise<unknown>,
  forMs: number,
): Promise<Load> {
  let endedAt = 0;
  let steadyMs = 0;
  const merchants = [service.merchant];
  const load = await underLoad({ ...bothRails, name, forMs, merchants, checker }, async () => {
    await fault();
    endedAt = performance.now();
    steadyMs = await steadyAgain(service, endedAt);
  });
  references.push(...load.references);
  payouts.push(...load.payouts);
  expect(steadyMs).toBeLessThan(steadyWithinMs);
  // No process was restarted.
  expect(
    ['api', 'projector', 'worker'].filter((app) => service.child(app as 'api').hasEnded()),
  ).toEqual([]);
  return load;
}

/** The same load on the same machine while every server works. @returns milliseconds */
async function slowestWithoutFault(): Promise<number> {
  const merchants = [service.merchant];
  const load = await underLoad(
    { ...bothRails, name: 'healthy', forMs: 3_000, atLeast: 40, merchants, checker },
    () => Promise.resolve(),
  );
  references.push(...load.references);
  payouts.push(...load.payouts);
  return Math.max(...load.told.map(({ tookMs }) => tookMs));
}

function expectNoneLate({ told }: Load, withinMs: number): void {
  const allowedMs = withinMs + slowerThanHealthy * slowestHealthyMs;
  expect(told.filter(({ tookMs }) => tookMs > allowedMs)).toEqual([]);
}

/** A refused request is answered in time, with a hint when to try again. */
function expectAnswers(load: Load, withinMs: number): void {
  const { told } = load;
  expectNoneLate(load, withinMs);
  expect(
    [...new Set(told.map(({ status }) => status))].filter(
      (status) => ![202, 409, 502, 503].includes(status),
    ),
  ).toEqual([]);
  const unadvised = told.filter(({ status, retryAfter }) => status === 503 && retryAfter === null);
  expect(unadvised).toEqual([]);
}

describe.each(names)('%s', (name) => {
  it(
    'frozen: no caller waits longer than the deadlines, health names it, and it recovers by itself',
    async () => {
      const failing: string[] = [];
      const load = await expectToOutlast(
        `frozen-${name}`,
        async () => {
          await servers.freeze(name);
          const thawAt = performance.now() + frozenMs[name];
          const answer = await eventually(
            () => readinessOf(service.child('api').ports.adminPort),
            ({ status }) => status === 503,
          );
          failing.push(...answer.failing);
          await sleep(Math.max(0, thawAt - performance.now()));
          await servers.thaw(name);
        },
        frozenMs[name],
      );
      expect(failing).toEqual([name]);
      expectAnswers(load, answeredWithinMs[name]);
      expect(load.told.some(({ status }) => status === 503)).toBe(true);
    },
    deadlineMs,
  );

  it(
    'slow: nothing is lost, and nothing is done twice',
    async () => {
      const load = await expectToOutlast(
        `slow-${name}`,
        async () => {
          linkTo(name).slow(300);
          await sleep(2_000);
          linkTo(name).heal();
        },
        3_000,
      );
      expectAnswers(load, 2 * answeredWithinMs[name]);
    },
    deadlineMs,
  );

  it(
    'answers lost after requests took effect: repeated requests are recognised',
    async () => {
      const load = await expectToOutlast(
        `lost-${name}`,
        async () => {
          linkTo(name).loseAnswers();
          await sleep(1_500);
          linkTo(name).heal();
        },
        3_000,
      );
      expectAnswers(load, answeredWithinMs[name]);
    },
    deadlineMs,
  );
});

describe('redis, as V3 needs it', () => {
  it(
    'frozen: a collect records nothing, and the same ref is pushed once it is back',
    async () => {
      const { merchantId, accountNo } = service.merchant.credentials;
      const client = await issueV3(service, merchantId);
      const body = {
        accountNumber: accountNo,
        ref: 'V3-without-redis',
        mobileNumber: '254712345678',
        amount: '250.00',
        currency: 'KES',
        live: 0,
      };
      await eventually(
        () => client.balance(['KE', accountNo, 'KES']),
        ({ status }) => status === 200,
      );
      await servers.freeze('redis');
      try {
        // Longer than a replica remembers the rail's token.
        await sleep(1_500);
        expect(await client.collect(body)).toMatchObject({
          status: 503,
          body: { error: 'service_unavailable' },
        });
      } finally {
        await servers.thaw('redis');
      }
      const answer = await eventually(
        () => client.collect(body),
        ({ status }) => status === 200,
      );
      expect(answer.body).toMatchObject({ status: 'pending', ref: body.ref });
      references.push(body.ref);
    },
    deadlineMs,
  );
});

describe('the rails', () => {
  it(
    'frozen: the caller gets “pending” in time, and what the rail took is completed',
    async () => {
      const load = await expectToOutlast(
        'frozen-rail',
        async () => {
          const rails = [service.child('daraja-simulator'), airtel];
          for (const rail of rails) rail.signal('SIGSTOP');
          await sleep(3_000);
          for (const rail of rails) rail.signal('SIGCONT');
        },
        4_000,
      );
      expectNoneLate(load, 4_000);
    },
    deadlineMs,
  );
});

describe('after all faults', () => {
  it('each collection and payout has one outcome or is in the review list, and all accounts agree', async () => {
    const found = await settled(service, references);
    expectAgreement(found, references);
    expectPayoutsAgree(found, payouts);
  });
});
