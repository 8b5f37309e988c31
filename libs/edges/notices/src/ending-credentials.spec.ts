import { describe, expect, it } from '@jest/globals';
import { type Queryable } from '#infra/postgres';
import { type EndingCredential } from '#views/merchants';
import { endingNow } from './ending-credentials.js';

const credential: EndingCredential = {
  credentialId: 'c-1',
  merchantId: 'm-1',
  kind: 'v4',
  mode: 'live',
  holder: 'till',
  expiresAt: new Date('2027-03-01T00:00:00.000Z'),
  secondsLeft: 0,
};
const daySeconds = 86_400;

/** The reminder while the credential has this many days left. */
async function reminder(days: number, over: Partial<EndingCredential> = {}) {
  const rows = [{ ...credential, secondsLeft: days * daySeconds, ...over }];
  const database = { query: () => Promise.resolve(rows) } as unknown as Queryable;
  const [item] = (await endingNow(database)).items;
  return item;
}

describe('the reminders of a credential that ends', () => {
  it('are three: from 30 days, from 7 and from 1 day before', async () => {
    const ids = await Promise.all(
      [30, 20, 7.001, 7, 6.5, 1.001, 1, 0.2].map(async (days) => (await reminder(days))?.id),
    );
    const [month, , , week, , , last] = ids;
    expect(ids).toEqual([month, month, month, week, week, week, last, last]);
    expect(new Set(ids).size).toBe(3);
  });

  it('start again if the end is moved, and are separate for each credential', async () => {
    const ids = await Promise.all([
      reminder(5),
      reminder(5, { expiresAt: new Date('2027-04-01T00:00:00.000Z') }),
      reminder(5, { credentialId: 'c-2' }),
    ]);
    expect(new Set(ids.map((item) => item?.id)).size).toBe(3);
  });

  it('name the credential and its end, and no holder', async () => {
    expect(await reminder(5)).toMatchObject({
      kind: 'credential',
      name: 'v4 c-1 of merchant m-1 until 2027-03-01',
      mode: 'live',
      endpoint: { merchantId: 'm-1', kind: 'v4' },
    });
  });

  it('go to the address for the live endpoint if the credential is of V3, which has no mode', async () => {
    const item = await reminder(5, { kind: 'v3', mode: null });
    expect(item).toMatchObject({ mode: 'live', endpoint: { kind: 'v3' } });
  });
});
