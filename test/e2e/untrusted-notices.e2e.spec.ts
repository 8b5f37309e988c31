import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { eventually, type OwnServers, type Service, startOwnServers, startService } from '#testing';
import { awayFromMidnight } from '../servers/away-from-midnight.js';

/** A service whose rail calls from an address that the settings do not name, and cannot list what it took. */
let service: Service;
let servers: OwnServers;
let accountNo: string;

beforeAll(async () => {
  await awayFromMidnight();
  servers = await startOwnServers();
  const rail = { RAIL_MPESA_DEMO_CALLBACK_IPS: '203.0.113.9', RAIL_MPESA_DEMO_PULL: 'off' };
  service = await startService({ ...servers.env, ...rail });
  ({ accountNo } = service.merchant.credentials);
  await service.kill('worker');
  await service.startReplica('worker', { ...rail, RAIL_MPESA_DEMO_C2B_ACCOUNT: accountNo });
  const words = [
    'rail',
    'notices',
    'register',
    '--mode',
    'demo',
    '--reason',
    'spec',
    '--as',
    'spec',
  ];
  expect(await service.runCommand(words)).toMatchObject({ code: 0 });
}, 120_000);
afterAll(async () => {
  await service.stop();
  await servers.stop();
});

/** Pays the pay bill as a customer does. @returns the receipt */
async function pay(): Promise<string> {
  const answer = await fetch(`${service.simulatorUrl}/_c2b`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ amount: '250.00', billReference: accountNo }),
  });
  return ((await answer.json()) as { TransID: string }).TransID;
}

it('a notice from an unknown address is money in suspense once M-Pesa confirms its receipt', async () => {
  const receipt = await pay();
  const reference = encodeURIComponent(`mpesa~${receipt}`);
  const { body } = await eventually(
    () => service.merchant.get(`/api/v4/collections/${reference}`),
    ({ status }) => status === 200,
    { withinMs: 240_000 },
  );
  expect(body).toMatchObject({ status: 'pending', origin: 'c2b', account_no: accountNo });
  const reviews = await eventually(
    () => service.runCommand(['review', 'list']),
    ({ text }) => text.includes('account_not_named'),
  );
  expect(reviews.text).toContain(`mpesa~${receipt}`);
  expect(reviews.text).not.toContain('not_from_rail');
  const verified = await service.runCommand(['verify']);
  if (verified.code !== 0) throw new Error(verified.text);
}, 300_000);
