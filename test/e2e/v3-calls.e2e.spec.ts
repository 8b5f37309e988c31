import { eventually, pesapost, type Service, startService } from '#testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { issueV3, type V3Client, type Values } from './v3-client.js';

const host = 'shop.example';

let service: Service;
let client: V3Client;
let accountNumber: string;
beforeAll(async () => {
  service = await startService();
  const { merchantId, accountNo } = service.merchant.credentials;
  accountNumber = accountNo;
  const why = ['--reason', 'test', '--as', 'spec'];
  await pesapost(service.env, 'hosts', 'set', '--merchant', merchantId, '--hosts', host, ...why);
  client = await issueV3(service, merchantId);
  await eventually(
    () => client.balance(['KE', accountNumber, 'KES']),
    ({ status }) => status === 200,
  );
}, 90_000);
afterAll(() => service.stop());

let made = 0;
const values = (differing: Values = {}): Values => ({
  accountNumber,
  ref: `V3-${(made += 1)}`,
  mobileNumber: '254712345678',
  amount: '250.00',
  currency: 'KES',
  live: 0,
  ...differing,
});

const pushes = async (): Promise<number> => {
  const response = await fetch(`${service.simulatorUrl}/_stats`);
  return ((await response.json()) as { pushes: number }).pushes;
};

/** The V4 list item: V3's collections stand in the same list. */
const item = async (ref: string) =>
  (await service.merchant.get(`/api/v4/collections/${encodeURIComponent(ref)}`)).body;

describe('a V3 collection', () => {
  it('goes through the pipeline of V4 and moves the balance of both', async () => {
    const before = await client.balance(['KE', accountNumber, 'KES']);
    const sent = values();
    const { status, body } = await client.collect(sent);
    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual(['status', 'ref', 'transactionId', 'amount', 'currency']);
    expect(body).toMatchObject({
      status: 'pending',
      ref: sent['ref'],
      amount: '250.00',
      currency: 'KES',
    });
    expect(body['transactionId']).toMatch(/^ws_CO_/);
    await eventually(
      () => item(String(sent['ref'])),
      (found) => found['status'] === 'completed',
    );
    const after = await eventually(
      () => client.balance(['KE', accountNumber, 'KES']),
      ({ body: { balance } }) => balance !== before.body['balance'],
    );
    const minor = ({ body: { balance } }: typeof after): number =>
      Number(String(balance).replace('.', ''));
    expect(minor(after) - minor(before)).toBe(25_000 - 375);
    expect(await client.collect(sent)).toMatchObject({
      body: { ...body, status: 'completed' },
    });
  });
});
