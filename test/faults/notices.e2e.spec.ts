import { setTimeout as sleep } from 'node:timers/promises';
import {
  agreementOf,
  eventually,
  type OwnServers,
  type Service,
  startOwnServers,
  startService,
} from '#testing';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { awayFromMidnight } from '../servers/away-from-midnight.js';

const payments = 60;
/** Each is killed and started again while customers pay. */
const killed = ['worker', 'api', 'projector', 'worker', 'api'] as const;

let service: Service;
let servers: OwnServers;
beforeAll(async () => {
  await awayFromMidnight();
  servers = await startOwnServers();
  service = await startService(servers.env);
  const registered = await service.runCommand([
    ...['rail', 'notices', 'register', '--mode', 'demo', '--reason', 'test', '--as', 'spec'],
  ]);
  expect(registered).toMatchObject({ code: 0 });
}, 120_000);
afterAll(async () => {
  await service.stop();
  await servers.stop();
});

/** A customer pays KES 250. @param tell the number of notices @returns the receipt */
async function pay(tell: number): Promise<string> {
  const { accountNo } = service.merchant.credentials;
  const answer = await fetch(`${service.simulatorUrl}/_c2b`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ amount: '250.00', billReference: accountNo, tell }),
  });
  return ((await answer.json()) as { TransID: string }).TransID;
}

it('payments without a push are posted once each, whichever process is killed meanwhile', async () => {
  const from = new Date(Date.now() - 5000).toISOString();
  const receipts: string[] = [];
  const kill = async (): Promise<void> => {
    for (const app of killed) {
      await sleep(300);
      await service.kill(app);
      await service.start(app);
    }
  };
  const take = async (): Promise<void> => {
    for (let count = 0; count < payments; count += 1) {
      receipts.push(await pay(count % 3));
      await sleep(50);
    }
  };
  await Promise.all([kill(), take()]);
  const to = new Date(Date.now() + 1000).toISOString();
  // Only views that have held the log for a minute since may judge the rail's list.
  await sleep(65_000);
  // A third of the notices were lost by the rail, and some by the API that was away: the rail's list has them.
  const window = ['reconcile', 'window', '--mode', 'demo', '--from', from, '--to', to];
  expect(await service.runCommand(window)).toMatchObject({
    code: 0,
    text: expect.stringContaining('missing in the ledger: 0'),
  });
  const found = await eventually(
    () => agreementOf(service),
    // The views follow, and each of them is read at its own moment.
    ({ folded, postedByEvents, postedByBalance, postedByEntries }) =>
      folded.size === payments &&
      postedByEvents === postedByBalance &&
      postedByEvents === postedByEntries,
    { withinMs: 60_000 },
  );
  expect([...found.folded.keys()].sort()).toEqual(
    receipts.map((receipt) => `mpesa~${receipt}`).sort(),
  );
  expect([...found.folded.values()].every(({ status }) => status === 'completed')).toBe(true);
  expect(found.postedTwice).toEqual([]);
  // The fee is 1.5 %.
  expect(found.postedByEvents).toBe(BigInt(payments) * 24_625n);
  expect(found.postedByEntries).toBe(found.postedByEvents);
  expect(found.sumOfBalances).toBe(0n);
}, 300_000);
