import { eventually, type OwnServers, type Service, startOwnServers, startService } from '#testing';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { untilViewsHold } from '../servers/fresh-views.js';

const payments = 137;
/** Every fourth notice is lost: 34. */
const isLost = (count: number): boolean => count % 4 === 3;
const why = ['--reason', 'spec', '--as', 'spec'];

let service: Service;
let servers: OwnServers;
beforeAll(async () => {
  servers = await startOwnServers();
  service = await startService(servers.env);
  const registering = ['rail', 'notices', 'register', '--mode', 'demo', ...why];
  expect(await service.runCommand(registering)).toMatchObject({ code: 0 });
}, 120_000);
afterAll(async () => {
  await service.stop();
  await servers.stop();
});

/** @returns the receipt */
async function pay(tell: number): Promise<string> {
  const { accountNo } = service.merchant.credentials;
  const answer = await fetch(`${service.simulatorUrl}/_c2b`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ amount: '250.00', billReference: accountNo, tell }),
  });
  return ((await answer.json()) as { TransID: string }).TransID;
}

/** The references of all collections that were posted, each as often as it was. */
async function posted(): Promise<readonly string[]> {
  const { text } = await service.runCommand(['events', '--stream', 'collection-']);
  const found = text.matchAll(/"type":"WalletPosted".*?"reference":"(mpesa~\w+)"/g);
  return [...found].map(([, reference = '']) => reference).toSorted();
}

const postedOnce = (count: number) =>
  eventually(posted, ({ length }) => length >= count, { withinMs: 120_000 });

it('a morning of which 34 of 137 notices were lost is whole within two hours, by the rail’s list alone (REC-37)', async () => {
  const receipts: string[] = [];
  for (let count = 0; count < payments; count += 1) receipts.push(await pay(isLost(count) ? 0 : 1));
  const references = receipts.map((receipt) => `mpesa~${receipt}`);
  const notified = references.filter((_, count) => !isLost(count));
  expect(notified).toHaveLength(payments - 34);
  expect(await postedOnce(notified.length)).toEqual(notified.toSorted());

  // The worker has asked about nothing yet. Its clock, and that of the views, moves on by less than two hours.
  await Promise.all([service.kill('worker'), service.kill('projector')]);
  const later = { CLOCK_OFFSET: '100m' };
  await service.startReplica('projector', later);
  await untilViewsHold(service, 99);
  await service.startReplica('worker', later);
  expect(await postedOnce(payments)).toEqual(references.toSorted());
  const verified = () => service.runCommand(['verify'], later);
  await eventually(verified, ({ code }) => code === 0, { withinMs: 60_000 });
}, 400_000);
