import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { DeveloperPortal } from '../../../test/developer-portal.js';
import { english as merchantEnglish } from '../merchant-texts.en.js';
import { english } from './developer-texts.en.js';

const portal = new DeveloperPortal();
const { failed: words } = english;
const resend = portal.page('webhooks/failed/resend');
const since = '2024-01-20T11:30:00.000Z';
const until = '2024-01-22T00:00:00.000Z';

beforeAll(async () => {
  await portal.start();
  await portal.endpointIs('https://shop.example/webhooks');
});
afterAll(() => portal.stop());
beforeEach(() =>
  portal.database.query(
    'truncate records.webhook_deliveries, records.webhook_requests, webhook_events',
  ),
);

interface Owed {
  readonly at: string;
  readonly outcome?: 'delivered' | 'expired';
  readonly mode?: string;
  readonly merchantId?: string;
  readonly isKnown?: boolean;
  readonly count?: number;
}
let sequence = 0;

/** Writes deliveries that were attempted twice, and their events. */
async function owed({ at, count = 1, ...of }: Owed): Promise<readonly string[]> {
  const { outcome = null, mode = 'demo', merchantId = portal.merchantId, isKnown = true } = of;
  const ids = Array.from({ length: count }, () => randomUUID());
  for (const id of ids) {
    sequence += 1;
    await portal.database.query(
      `insert into records.webhook_deliveries
         (webhook_id, kind, merchant_id, mode, sequence, type, owed_at, attempts, next_attempt_at, outcome)
       values ($1, 'v4', $2, $3, $4, 'collection.failed', $5, 2, null, $6)`,
      [id, merchantId, mode, sequence, at, outcome],
    );
    if (isKnown)
      await portal.database.query(
        `insert into webhook_events values ($1, $2, $3, $4, 'collection.failed', 1, $5, null, $6)`,
        [merchantId, mode, sequence, id, at, `{"data":{"reference":"INV ${sequence}"}}`],
      );
  }
  return ids;
}

const due = async () => {
  const rows = await portal.database.query<{ id: string }>(
    `select webhook_id as id from records.webhook_deliveries where next_attempt_at is not null`,
  );
  return rows.map(({ id }) => id);
};

it('asks with the number and the time, in the merchant’s zone, and sends nothing by that', async () => {
  await owed({ at: '2024-01-20T11:30:00Z', count: 2 });
  await owed({ at: '2024-01-20T11:29:00Z' });
  const asha = await portal.signedIn('asha', 'developer');
  const { text } = await asha.get(portal.page('webhooks/failed?day=2024-01-20&clock=14:30'));
  expect(text).toContain(words.found(2, false));
  expect(text).toContain(`name="since" value="${since}"`);
  expect(text).toContain('2024-01-20 14:30:00');
  expect(await due()).toEqual([]);
});

it('sends those that failed since then and until the question, each with its outcome, in the person’s name', async () => {
  const [first, second] = await owed({ at: '2024-01-21T10:00:00Z', count: 2 });
  const [gone] = await owed({ at: '2024-01-21T10:00:00Z', isKnown: false });
  await owed({ at: '2024-01-20T11:29:59Z' });
  await owed({ at: until });
  await owed({ at: '2024-01-21T10:00:00Z', outcome: 'delivered' });
  await owed({ at: '2024-01-21T10:00:00Z', mode: 'live' });
  await owed({ at: '2024-01-21T10:00:00Z', merchantId: randomUUID() });
  const asha = await portal.signedIn('asha', 'developer');
  const { answer } = await portal.send(asha, resend, { since, until });
  expect([...(await due())].sort()).toEqual([first, second].sort());
  expect(answer.text.split(words.sending)).toHaveLength(3);
  const rowOfGone = answer.text.split('<tr role="row">').find((row) => row.includes(String(gone)));
  expect(rowOfGone).toContain(words.problems.gone);
  const requests = await portal.database.query('select person from records.webhook_requests');
  expect(requests).toEqual(
    Array.from({ length: 2 }, () => ({ person: `${portal.issuer.url}#asha` })),
  );
});

it('sends a hundred at a time, and then the others', async () => {
  await owed({ at: '2024-01-21T10:00:00Z', count: 103 });
  const asha = await portal.signedIn('asha', 'developer');
  const first = await portal.send(asha, resend, { since, until });
  expect(await due()).toHaveLength(100);
  expect(first.answer.text).toContain(words.more(3));
  expect(Buffer.byteLength(first.answer.text)).toBeLessThan(100_000);
  const second = await portal.send(asha, resend, { since, until });
  expect(await due()).toHaveLength(103);
  expect(second.answer.text.split(words.sending)).toHaveLength(4);
});

it('counts those of today before anybody asks', async () => {
  await owed({ at: new Date().toISOString(), count: 3 });
  await owed({ at: '2024-01-20T11:30:00Z', count: 2 });
  const asha = await portal.signedIn('asha', 'developer');
  const { status, text } = await asha.get(portal.page('webhooks/failed'));
  expect([status, text.includes(words.found(3, false))]).toEqual([200, true]);
});

describe('the list of deliveries', () => {
  const itemOf = (text: string) => /items\/collection\/INV%20\d+"/.exec(text)?.[0];

  it('has each delivery with its item, and counts the failed ones of the place', async () => {
    await owed({ at: '2024-01-21T10:00:00Z', outcome: 'delivered', count: 2 });
    await owed({ at: '2024-01-21T10:00:00Z', mode: 'live' });
    const [failing] = await owed({ at: '2024-01-21T09:00:00Z' });
    const asha = await portal.signedIn('asha', 'developer');
    const all = await asha.get(portal.page('webhooks'));
    expect(all.text.split('items/collection/INV%20')).toHaveLength(4);
    expect(all.text).toContain('Failed (1)');
    const { text } = await asha.get(portal.page('webhooks?failing=on'));
    expect(text.split('items/collection/INV%20')).toHaveLength(2);
    const one = await asha.get(portal.page(`webhooks/${failing ?? ''}`));
    expect(itemOf(one.text)).toBe(itemOf(text));
  });

  it('has an empty tab Failed that says so', async () => {
    const asha = await portal.signedIn('asha', 'developer');
    const { text } = await asha.get(portal.page('webhooks?failing=on'));
    expect(text).toContain(merchantEnglish.webhooks.noneFailed);
  });
});

it.each(['2999-01-01&clock=10:00', '2024-13-40', '2024-01-20&clock=25:00', ''])(
  'refuses the time %s at its field',
  async (day) => {
    const asha = await portal.signedIn('asha', 'owner');
    const { status, text } = await asha.get(portal.page(`webhooks/failed?day=${day}`));
    expect([status, text.includes(words.wrongTime)]).toEqual([422, true]);
  },
);

it('is not for a merchant’s finance', async () => {
  const finn = await portal.signedIn('finn', 'finance');
  expect((await finn.get(portal.page('webhooks/failed'))).status).toBe(403);
});
