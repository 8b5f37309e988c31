import { addMonths } from '#domain/v3-retirement';
import { eventually } from '#testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { WalkedCalendar } from './v3-calendar.js';
import { issueV3, V3Client } from './v3-client.js';

const hour = 3_600_000;
const day = 24 * hour;
const gaDate = new Date().toISOString().slice(0, 10);
const midnightOf = (date: string) => Date.parse(`${date}T00:00:00Z`);
const month = (count: number) => midnightOf(addMonths(gaDate, count));
const why = ['--as', 'amina', '--reason', 'the calendar says so'];
const restrictedCalls = 5;

let calendar: WalkedCalendar;
beforeAll(async () => {
  calendar = await WalkedCalendar.prepare({
    V4_GA_DATE: gaDate,
    V3_RETIRE_THRESHOLD: '5',
    RATE_LIMIT_V3_RESTRICTED: `${restrictedCalls}/m`,
  });
});
afterAll(() => calendar.stopEverything());

let merchantId: string;
let accountNo: string;
let old: V3Client['credential'];
const client = () => new V3Client(calendar.baseUrl, old);
const balance = () => client().balance(['KE', accountNo, 'KES']);
const served = () => eventually(balance, ({ status }) => status === 200);

async function newMerchant(): Promise<string> {
  return (
    (await calendar.run('merchant', 'create', '--name', 'Duka Moja', ...why))['merchant_id'] ?? ''
  );
}

interface Status {
  readonly phases: readonly string[];
  readonly enforced: readonly string[];
  readonly missing_to_retire: readonly string[];
  readonly usage: { readonly calls: number; readonly uncounted_days: readonly string[] };
  readonly retired: { readonly operator: string; readonly calls_in_window: number } | null;
}
const status = () => calendar.run<Status>('v3', 'status');

/** The steps follow each other, as the days do. */
describe('V3, from the day on which V4 is available to its end', () => {
  it('day 0: both are available; every answer of V3 announces what will happen to it', async () => {
    await calendar.walkTo(Date.now());
    merchantId = await newMerchant();
    const of = ['--merchant', merchantId, '--mode', 'demo', '--currency', 'KES', ...why];
    accountNo = (await calendar.run('account', 'open', ...of))['account_no'] ?? '';
    old = (await issueV3(calendar, merchantId)).credential;
    const { headers } = await served();
    const unknown = await fetch(`${calendar.baseUrl}/v3/nothing`);
    const page = await fetch(`${calendar.baseUrl}/checkout?oid=1&hsh=2`);
    for (const answer of [headers, unknown.headers, page.headers]) {
      expect(answer.get('deprecation')).toBe(`@${midnightOf(gaDate) / 1000}`);
      expect(answer.get('sunset')).toBe(new Date(month(12)).toUTCString());
      expect(answer.get('link')).toContain('<http://pay.example/docs/v3>; rel="deprecation"');
    }
    expect((await fetch(`${calendar.baseUrl}/docs/v3`)).status).toBe(200);
    expect(await status()).toMatchObject({ phases: ['coexist'], enforced: [], retired: null });
    const { stdout } = await calendar.type('v3', 'status');
    expect(stdout).toMatch(
      /phase: coexist[\s\S]*> coexist[\s\S]*final notice: none[\s\S]*- month 12 is not over/,
    );
  });

  it('month 3: existing merchants still get V3 credentials, new ones do not; the callers are listed', async () => {
    await calendar.walkTo(month(3) - hour);
    const early = await newMerchant();
    await calendar.walkTo(month(3) + hour);
    const late = await newMerchant();
    const credential = ['credential', 'issue', '--kind', 'v3', '--holder', 'old shop', ...why];
    expect((await issueV3(calendar, early)).credential.consumerKey).toMatch(/./);
    await expect(issueV3(calendar, late)).rejects.toThrow('V4-only');
    expect(
      await calendar.type(...credential, '--merchant', late, '--public-key', '/dev/null'),
    ).toMatchObject({ code: 1 });
    await served();
    const listed = await eventually(
      () => calendar.run<{ merchants: object[] }>('v3', 'outreach'),
      ({ merchants }) => merchants.length === 1,
    );
    expect(listed.merchants).toMatchObject([
      { merchant_id: merchantId, routes: { balance: expect.any(Number) }, v4_credential: 'none' },
    ]);
    expect((await calendar.type('v3', 'outreach')).stdout).toMatch(
      /Duka Moja +\S+ +\d+ +balance \d+/,
    );
    expect(await status()).toMatchObject({ phases: ['coexist', 'encourage'] });
  });

  it('month 9: no one gets a V3 credential, and a consumer key has a rate', async () => {
    const statuses = async () => {
      await served();
      const answers = [];
      for (let call = 0; call <= restrictedCalls; call += 1) answers.push((await balance()).status);
      return answers;
    };
    await calendar.walkTo(month(9) - hour);
    expect(new Set(await statuses())).toEqual(new Set([200]));
    await calendar.walkTo(month(9) + hour);
    expect(await statuses()).toContain(429);
    const limited = await balance();
    expect(limited).toMatchObject({ status: 429, body: { error: 'rate_limited' } });
    expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0);
    await expect(issueV3(calendar, merchantId)).rejects.toThrow('no new merchants');
    expect((await status()).enforced).toContain('flag_sha1_links');
    const words = ['v3', 'readiness', '--merchant', merchantId];
    const found = await calendar.run<{ merchants: unknown }>(...words);
    expect(found.merchants).toMatchObject([
      {
        merchant_id: merchantId,
        v4_credential: 'none',
        calls: expect.arrayContaining([expect.objectContaining({ route: 'balance' })]),
        missing: ['v4_credential_not_issued', 'v3_still_called'],
      },
    ]);
    const { stdout } = await calendar.type('v3', 'readiness');
    expect(stdout).toMatch(/not yet +Duka Moja[\s\S]*Duka Moja: has no V4 credential/);
  });

  const end = month(12) + hour;

  it('month 12: V3 is not retired while any condition is missing', async () => {
    const retire = () => calendar.type('v3', 'retire', ...why);
    await calendar.walkTo(month(12) - hour);
    expect((await retire()).stderr).toContain('month 12 is not over');
    await calendar.walkTo(end);
    await served();
    for (let call = 0; call < restrictedCalls; call += 1) await balance();
    await eventually(status, ({ usage }) => usage.calls > restrictedCalls);
    expect((await status()).missing_to_retire).toEqual([
      'no_final_notice',
      'counters_do_not_cover_30_days',
      'calls_not_below_threshold',
    ]);
    const told = await retire();
    expect(told.code).toBe(1);
    expect(told.stderr).toMatch(
      /no final notice[\s\S]*calls were not counted[\s\S]*threshold is 5/,
    );
    await calendar.run('v3', 'notice', '--text', 'V3 ends in thirty days.', ...why);
    await eventually(status, ({ missing_to_retire: missing }) =>
      missing.includes('final_notice_too_young'),
    );
    expect((await retire()).stderr).toContain('younger than 30 days');
  });

  it('then thirty days pass, one by one, and are counted as days without calls', async () => {
    await calendar.passDay(end + day);
    await calendar.passDay(end + 2 * day);
    const between = Array.from({ length: 25 }, (_, at) => end + (at + 3) * day);
    await calendar.passDaysLike(end + 2 * day, ...between);
    await calendar.passDay(end + 28 * day);
    // The last day before the counting became unbroken is still one of the thirty.
    expect((await status()).missing_to_retire).toEqual([
      'final_notice_too_young',
      'counters_do_not_cover_30_days',
      'calls_not_below_threshold',
    ]);
    await calendar.passDay(end + 29 * day);
    expect((await status()).missing_to_retire).toEqual([
      'final_notice_too_young',
      'calls_not_below_threshold',
    ]);
    await calendar.passDay(end + 30 * day + hour);
    expect((await status()).missing_to_retire).toEqual(['calls_not_below_threshold']);
    expect((await calendar.type('v3', 'retire', ...why)).code).toBe(1);
    expect((await fetch(`${calendar.baseUrl}/v3/nothing`)).status).toBe(404);
  });

  it('V3 is retired: every call soon gets 410, and V4 continues', async () => {
    await calendar.walkTo(end + 31 * day);
    // A call of V3 would count, also one over the rate, whose minute is the machine's and not the calendar's.
    const other = () => fetch(`${calendar.baseUrl}/api/v4/transactions`);
    await eventually(other, ({ status: code }) => code === 401);
    expect(await calendar.run('v3', 'retire', ...why)).toMatchObject({
      retired: true,
      seen_by_views: true,
    });
    const gone = await eventually(balance, ({ status: code }) => code === 410, {
      withinMs: 30_000,
    });
    expect(gone.body).toEqual({ error: 'gone' });
    expect(gone.headers.get('deprecation')).toMatch(/^@/);
    expect((await client().post('{}', 'x')).status).toBe(410);
    const page = await fetch(`${calendar.baseUrl}/checkout?oid=1&hsh=2`);
    expect([page.status, page.headers.get('content-type')]).toEqual([
      410,
      'text/html; charset=utf-8',
    ]);
    const form = { method: 'POST', body: new URLSearchParams({ oid: '1', hsh: '2' }) };
    expect((await fetch(`${calendar.baseUrl}/checkout`, form)).status).toBe(410);
    expect((await fetch(`${calendar.baseUrl}/api/v4/transactions`)).status).toBe(401);
    expect((await fetch(`${calendar.baseUrl}/checkout?hash=2`)).status).not.toBe(410);
    expect((await status()).retired).toMatchObject({ operator: 'amina' });
    expect((await calendar.type('v3', 'status')).stdout).toContain('V3 is retired since');
    expect(await calendar.run('v3', 'retire', ...why)).toMatchObject({ already: true });
  });

  it('V3 stays retired after a restart, with the clock back at day 0, and with another V4 date', async () => {
    await calendar.restartApi();
    expect((await balance()).status).toBe(410);
    await calendar.walkTo(Date.now(), { V4_GA_DATE: '2040-01-01', V3_RETIRE_THRESHOLD: '1000000' });
    const answer = await balance();
    expect(answer).toMatchObject({ status: 410, body: { error: 'gone' } });
    expect(answer.headers.get('sunset')).toBe('Tue, 01 Jan 2041 00:00:00 GMT');
    await expect(issueV3(calendar, merchantId)).rejects.toThrow('retired');
    expect((await calendar.type('v3', 'notice', '--text', 'Again', ...why)).stderr).toContain(
      'retired already',
    );
  });
});
