import { setTimeout as sleep } from 'node:timers/promises';
import {
  agreementOf,
  eventually,
  type Service,
  startService,
  type CommandOutcome,
  typed,
} from '#testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

/** One cent: 254700000010 pays this much more than requested. */
const extraMinor = 1;
const amountMinor = 10_000;
/** Long enough for an operator's commands before the money of 254700000015 comes. */
const slowAnswer = '25s';

let service: Service;
beforeAll(async () => {
  service = await startService({ RAIL_REVIEW_AFTER: '1s', SIMULATOR_SLOW_ANSWER: slowAnswer });
});
afterAll(() => service.stop());

const pesapost = (...words: readonly string[]): Promise<CommandOutcome> =>
  typed(service.env, ...words);

const merchantId = (): string => service.merchant.credentials.merchantId;
const whose = (): string[] => ['--merchant', merchantId(), '--mode', 'demo'];
const asked = (phone: string, reference: string) =>
  service.merchant.collect({ phone, reference, amount_minor: amountMinor });

type Json = Readonly<Record<string, unknown>>;
const json = ({ stdout }: CommandOutcome): Json => JSON.parse(stdout) as Json;

async function listed(): Promise<readonly Json[]> {
  const answer = await pesapost('review', 'list', ...whose(), '--json');
  return json(answer)['reviews'] as Json[];
}

const underReview = (reference: string): Promise<Json | undefined> =>
  eventually(
    async () => (await listed()).find((review) => review['reference'] === reference),
    (review) => review !== undefined,
    { withinMs: 90_000 },
  );

const resolve = (
  reference: string,
  who: string,
  ...words: readonly string[]
): Promise<CommandOutcome> =>
  pesapost(
    'review',
    'resolve',
    reference,
    ...whose(),
    '--as',
    who,
    '--reason',
    'line 12',
    ...words,
  );
const confirm = (
  reference: string,
  who: string,
  ...words: readonly string[]
): Promise<CommandOutcome> =>
  pesapost('review', 'confirm', reference, ...whose(), '--as', who, ...words);

const itemInList = async (reference: string): Promise<Json | undefined> => {
  const { body } = await service.merchant.get('/api/v4/transactions?limit=100');
  return (body['data'] as Json[]).find((item) => item['reference'] === reference);
};
const settledItem = (reference: string, status: string): Promise<Json | undefined> =>
  eventually(
    () => itemInList(reference),
    (item) => item?.['status'] === status,
    { withinMs: 90_000 },
  );

async function postedMinor(): Promise<number> {
  const { accountNo } = service.merchant.credentials;
  const { body } = await service.merchant.get(`/api/v4/accounts/${accountNo}/balance`);
  return body['posted_minor'] as number;
}

describe('money of another amount than asked for', () => {
  it('waits in suspense until two operators give it to the merchant, less the fee on it', async () => {
    await asked('254700000010', 'OTHER-1');
    expect(await underReview('OTHER-1')).toMatchObject({ why: 'amount_mismatch', proposal: null });
    const before = await postedMinor();

    const shown = await pesapost('review', 'show', 'OTHER-1');
    expect(shown).toMatchObject({ code: 0, stderr: '' });
    expect(shown.stdout).toContain('KES 100.01 (10001)');
    expect(shown.stdout).toContain('2547*****010');
    expect(shown.stdout).toContain(
      `npx pesapost review resolve OTHER-1 --type collection --merchant ${merchantId()} --mode demo --decision suspense_to_merchant`,
    );
    expect(shown.stdout).not.toContain('--decision paid');

    const wrong = await resolve('OTHER-1', 'asha', '--decision', 'failed');
    expect(wrong.code).toBe(1);
    expect(wrong.stderr).toContain('is not possible now');

    const receipt = ['--receipt', 'NLJ7RT61SV'];
    const misspelt = await resolve('OTHER-1', 'asha', '--decision', 'refunded', ...receipt);
    expect(misspelt.code).toBe(2);

    const proposed = await resolve('OTHER-1', 'asha', '--decision', 'suspense_to_merchant');
    expect(proposed).toMatchObject({ code: 0, stderr: '' });
    expect(await listed()).toContainEqual(
      expect.objectContaining({
        reference: 'OTHER-1',
        proposal: { decision: 'suspense_to_merchant', proposed_by: 'asha' },
      }),
    );
    expect(await postedMinor()).toBe(before);

    const same = await confirm('OTHER-1', 'Asha ');
    expect(same.code).toBe(1);
    expect(same.stderr).toContain('cannot confirm it');

    expect(await confirm('OTHER-1', 'joseph')).toMatchObject({ code: 0, stderr: '' });
    const arrived = amountMinor + extraMinor;
    expect(await settledItem('OTHER-1', 'completed')).toMatchObject({
      amount_minor: arrived,
      requested_minor: amountMinor,
      fee_minor: 150,
      under_review: false,
    });
    expect(await postedMinor()).toBe(before + arrived - 150);
    const { body } = await service.merchant.get('/api/v4/collections/OTHER-1');
    expect(body).toMatchObject({ status: 'completed', amount_minor: arrived });

    const again = await confirm('OTHER-1', 'joseph');
    expect(again.code).toBe(1);
    expect(again.stderr).toContain('no pending proposal');
    expect((await listed()).map(({ reference }) => reference)).not.toContain('OTHER-1');
  });

  it('goes back to the customer: failed, and nothing in the wallet', async () => {
    const before = await postedMinor();
    await asked('254700000010', 'OTHER-2');
    await underReview('OTHER-2');
    await resolve('OTHER-2', 'asha', '--decision', 'refunded');
    expect(await confirm('OTHER-2', 'joseph', '--reason', 'agreed')).toMatchObject({ code: 0 });
    expect(await settledItem('OTHER-2', 'failed')).toMatchObject({
      failure_code: 'refunded',
      amount_minor: amountMinor,
      under_review: false,
    });
    expect(await postedMinor()).toBe(before);
  });
});

describe('a push of which nothing was heard', () => {
  const payment = [
    '--decision',
    'paid',
    '--receipt',
    'nlj7rt61sv',
    '--amount',
    String(amountMinor),
  ];

  it('is posted with the receipt of the statement, which no other collection gets then', async () => {
    await Promise.all([asked('254700000013', 'SILENT-1'), asked('254700000013', 'SILENT-2')]);
    expect(await underReview('SILENT-1')).toMatchObject({ why: 'no_word_from_rail' });
    await underReview('SILENT-2');
    const before = await postedMinor();

    const withoutReceipt = await resolve('SILENT-1', 'asha', '--decision', 'paid');
    expect(withoutReceipt.stderr).toContain('--receipt');
    expect(await resolve('SILENT-1', 'asha', ...payment)).toMatchObject({ code: 0, stderr: '' });
    const rival = await resolve('SILENT-2', 'asha', ...payment);
    expect(rival.code).toBe(1);
    expect(rival.stderr).toContain('Another pending proposal has this receipt');

    expect(await confirm('SILENT-1', 'joseph')).toMatchObject({ code: 0, stderr: '' });
    expect(await settledItem('SILENT-1', 'completed')).toMatchObject({
      receipt: 'NLJ7RT61SV',
      amount_minor: amountMinor,
      under_review: false,
    });
    expect(await postedMinor()).toBe(before + amountMinor - 150);

    const second = await resolve('SILENT-2', 'asha', ...payment);
    expect(second.code).toBe(1);
    expect(second.stderr).toContain('This receipt is already in use');
  });

  it('tells its whole story, and what happens next', async () => {
    const story = await pesapost('history', 'SILENT-1', ...whose());
    expect(story).toMatchObject({ code: 0, stderr: '' });
    for (const type of [
      'CollectionIntentRecorded',
      'ReviewFlagged',
      'ReviewDecided',
      'WalletPosted',
    ])
      expect(story.stdout).toContain(type);
    expect(story.stdout).toContain('operator joseph');
    expect(story.stdout).not.toMatch(/2547\d{8}/);

    await asked('254712345678', 'PAID-1');
    await settledItem('PAID-1', 'completed');
    const paid = json(await pesapost('show', 'PAID-1', '--json'));
    expect(paid['next']).toEqual([{ by: 'nobody', what: 'completed, which is final' }]);
    // Its answer to the push, and its callback.
    expect(paid['rail_messages']).toHaveLength(2);
    expect(await pesapost('show', 'NOBODY-1')).toMatchObject({ code: 1, stdout: '' });
  });

  it('is failed by one operator, and money that comes late is posted once all the same', async () => {
    await asked('254700000015', 'LATE-1');
    await underReview('LATE-1');
    const failed = await resolve('LATE-1', 'asha', '--decision', 'failed');
    expect(failed).toMatchObject({ code: 0, stdout: 'decided: LATE-1 is failed\n' });
    expect(await settledItem('LATE-1', 'failed')).toMatchObject({ failure_code: 'not_paid' });

    expect(await settledItem('LATE-1', 'completed')).toMatchObject({ failure_code: null });
    await sleep(1_000);
    const { folded, postedTwice, ...agreed } = await agreementOf(service);
    const { postedByBalance, postedByEntries, postedByEvents, sumOfBalances } = agreed;
    expect(folded.get('LATE-1')).toMatchObject({ status: 'completed' });
    expect([postedByBalance, postedByEntries]).toEqual([postedByEvents, postedByEvents]);
    expect(sumOfBalances).toBe(0n);
    expect(postedTwice).toEqual([]);
  });
});
