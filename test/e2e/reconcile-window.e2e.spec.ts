import { setTimeout as sleep } from 'node:timers/promises';
import { agreementOf, type CommandOutcome, eventually, type Service, startService } from '#testing';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { awayFromMidnight } from '../servers/away-from-midnight.js';

/** A service whose worker ends before it has asked about a payment whose callback was lost. */
let service: Service;
let times: readonly string[];

beforeAll(async () => {
  await awayFromMidnight();
  service = await startService({ RAIL_QUERY_DELAYS: '1m,2m,4m', RAIL_PUSH_TIMEOUT: '15s' });
  const from = new Date();
  // The simulator loses this number's callback.
  await service.merchant.collect({ reference: 'lost', phone: '254700000006' });
  await eventually(
    () => agreementOf(service),
    ({ paidAtRail }) => paidAtRail.length === 1,
    { withinMs: 60_000 },
  );
  const to = new Date();
  await service.kill('worker');
  times = ['--from', from.toISOString(), '--to', to.toISOString()];
  // Only views that have held the log for a minute since may judge. By then the worker's question is due as well.
  await sleep(65_000);
}, 300_000);
afterAll(() => service.stop());

const compared = (...words: readonly string[]): Promise<CommandOutcome['code']> =>
  service
    .runCommand(['reconcile', 'window', '--mode', 'demo', ...times, ...words])
    .then(({ code, text }) => {
      expect(text).toMatch(/payments that the rail took: 1\nmissing in the ledger: 0/);
      return code;
    });

it('two commands and the worker ask about one payment at once: it is posted once', async () => {
  expect((await agreementOf(service)).folded.get('lost')).toMatchObject({ status: 'pending' });
  const [first, second] = await Promise.all([compared(), compared(), service.start('worker')]);
  expect([first, second]).toEqual([0, 0]);
  // The third finds it in the ledger.
  expect(await compared()).toBe(0);
  const found = await eventually(
    () => agreementOf(service),
    ({ postedByEvents, postedByBalance }) => postedByEvents === postedByBalance,
    { withinMs: 60_000 },
  );
  expect(found.folded.get('lost')).toMatchObject({ status: 'completed' });
  expect(found.postedTwice).toEqual([]);
  expect(found.postedByEntries).toBe(found.postedByEvents);
  expect(found.sumOfBalances).toBe(0n);
  expect(found.pushesAtRail).toBe(1);
}, 240_000);

it('a command that can do nothing says why', async () => {
  const asked = (mode: string, from: string, to: string) =>
    service.runCommand(['reconcile', 'window', '--mode', mode, '--from', from, '--to', to]);
  const [, from = '', , to = ''] = times;
  expect(await asked('demo', to, from)).toMatchObject({
    code: 1,
    text: expect.stringContaining('--from is not before --to'),
  });
  expect(await asked('live', from, to)).toMatchObject({
    code: 1,
    text: expect.stringContaining('no rail of this mode lists its payments'),
  });
  const longAgo = new Date(Date.parse(from) - 49 * 3_600_000).toISOString();
  expect(await asked('demo', longAgo, to)).toMatchObject({
    code: 1,
    text: expect.stringContaining('take a later --from'),
  });
});
