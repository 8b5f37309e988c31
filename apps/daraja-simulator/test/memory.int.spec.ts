import { appendFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually, Receiver, Simulator } from './harness.js';

let simulator: Simulator;
let receiver: Receiver;

beforeEach(async () => {
  simulator = await Simulator.start({ SIMULATOR_DELAY: '500ms' });
  receiver = await Receiver.start();
});

afterEach(async () => {
  await simulator.dispose();
  receiver.close();
});

describe('a restarted simulator', () => {
  it.each(['SIGKILL', 'SIGTERM'] as const)(
    'sends the callbacks it owed when %s ended it, and each payment is on the statement once',
    async (signal) => {
      const phones = ['254712345678', '254700000007', '254700000008', '254700000002'];
      await simulator.end('SIGTERM');
      // Time for four pushes on a busy machine.
      await simulator.restart({ SIMULATOR_DELAY: '6s' });
      for (const [index, phone] of phones.entries())
        await simulator.push(phone, { CallBackURL: receiver.url(`0${index}`) });
      await simulator.end(signal);
      expect(receiver.callbacks).toEqual([]);

      await simulator.restart();
      const codes = () =>
        phones.map((_phone, index) => receiver.of(`0${index}`).map((one) => one.resultCode));
      await eventually(() => receiver.callbacks.length === 6);
      expect(codes()).toEqual([[0], [0, 0], [1037, 0], [1032]]);
      expect(await simulator.stats()).toMatchObject({
        pushes: 4,
        paid: 3,
        payouts: 0,
        paid_out: 0,
      });
      expect(await simulator.statement()).toHaveLength(3);
    },
  );

  it('still owes a callback that was not answered before the end', async () => {
    receiver.silent = true;
    await simulator.push('254712345678', { CallBackURL: receiver.url('aa') });
    await eventually(() => receiver.callbacks.length === 1);
    expect(await simulator.end('SIGTERM')).toBe(0);
    receiver.silent = false;
    await simulator.restart();
    await eventually(() => receiver.callbacks.length === 2);
    expect(receiver.callbacks[1]?.raw).toBe(receiver.callbacks[0]?.raw);
  });

  it('keeps receipts and times of what was paid, and does not call back again', async () => {
    await simulator.push('254712345678', { CallBackURL: receiver.url('aa') });
    await eventually(() => receiver.callbacks.length === 1);
    const before = await simulator.statementText();
    await simulator.end('SIGTERM');
    await simulator.restart();
    expect(await simulator.statementText()).toBe(before);
    await new Promise((resolve) => setTimeout(resolve, 700));
    expect(receiver.callbacks).toHaveLength(1);
  });

  it('keeps the receipt of its callback if it was killed between the callback and the note', async () => {
    await simulator.push('254712345678', { CallBackURL: receiver.url('aa') });
    await eventually(() => receiver.callbacks.length === 1);
    await simulator.end('SIGKILL');
    await simulator.restart();
    const [row] = await simulator.statement();
    expect(row?.[0]).toBe(receiver.callbacks[0]?.items['MpesaReceiptNumber']);
  });

  it('still knows token, spike arrests and queries already put off', async () => {
    expect((await simulator.push('254700000017')).status).toBe(500);
    const answer = await simulator.push('254700000016');
    const id = answer.body['CheckoutRequestID'];
    expect((await simulator.query(id)).status).toBe(500);
    await simulator.end('SIGKILL');

    await simulator.restart({ SIMULATOR_DELAY: '0' });
    expect((await simulator.push('254700000017')).status).toBe(500);
    expect((await simulator.push('254700000017')).status).toBe(200);
    expect((await simulator.query(id)).status).toBe(500);
    await eventually(async () => (await simulator.query(id)).body['ResultCode'] === '0');
  });

  it('loses no push that it answered, when killed under load', async () => {
    const acknowledged: string[] = [];
    const load = Array.from({ length: 16 }, async () => {
      for (;;) {
        const answer = await simulator.push('254712345678').catch(() => undefined);
        if (answer === undefined) return;
        acknowledged.push(answer.body['CheckoutRequestID'] ?? '');
      }
    });
    await eventually(() => acknowledged.length > 200);
    await simulator.end('SIGKILL');
    await Promise.all(load);

    await simulator.restart();
    const known = await Promise.all(acknowledged.map((id) => simulator.query(id)));
    expect(known.filter(({ body }) => body['errorCode'] === '400.002.02')).toEqual([]);
  });

  it('ignores a torn last line and continues writing after it', async () => {
    await simulator.push('254712345678');
    await simulator.end('SIGKILL');
    const journal = join(simulator.directory, 'journal.jsonl');
    await appendFile(journal, '{"kind":"accepted","push":{"phone":"2547');
    await simulator.restart();
    await simulator.push('254712345678');
    await simulator.end('SIGTERM');
    await simulator.restart();
    expect((await simulator.stats())['pushes']).toBe(2);
    for (const line of (await readFile(journal, 'utf8')).trimEnd().split('\n'))
      expect(() => JSON.parse(line) as unknown).not.toThrow();
  });

  it('refuses to start on a journal that is damaged in the middle, and names the line', async () => {
    await simulator.end('SIGTERM');
    const journal = join(simulator.directory, 'journal.jsonl');
    await appendFile(journal, 'not JSON\n{"kind":"spike-arrest","phone":"x","refused":1}\n');
    await expect(simulator.restart()).rejects.toThrow(/damaged at line 3/);
  });
});

describe('its start', () => {
  it('fails with one line if its port is in use', async () => {
    const port = new URL(receiver.url('aa')).port;
    await simulator.end('SIGTERM');
    await expect(simulator.restart({ SIMULATOR_PORT: port })).rejects.toThrow(
      /the Daraja simulator failed: .*EADDRINUSE.*\n$/,
    );
  });
});

describe('its end', () => {
  it('also comes if the launcher dies before the simulator is ready', async () => {
    await simulator.end('SIGTERM');
    const restarted = simulator.restart().catch(() => undefined);
    expect(await simulator.end('disconnect')).toBe(0);
    await restarted;
  });

  it.each(['SIGTERM', 'SIGINT', 'disconnect'] as const)(
    'follows %s with exit code 0 while an answer and a query are held back',
    async (how) => {
      await simulator.end('SIGTERM');
      await simulator.restart({ SIMULATOR_SLOW_ANSWER: '1m', SIMULATOR_DELAY: '1m' });
      const checkout = await simulator.push('254700000010');
      const held = [
        simulator.push('254700000015').catch(() => 'connection lost'),
        simulator.query(checkout.body['CheckoutRequestID']).catch(() => 'connection lost'),
      ];
      await eventually(async () => Number((await simulator.stats())['pushes']) === 2);
      const startMs = performance.now();
      expect(await simulator.end(how)).toBe(0);
      expect(performance.now() - startMs).toBeLessThan(30_000);
      expect((await Promise.all(held))[0]).toBe('connection lost');
    },
  );
});
