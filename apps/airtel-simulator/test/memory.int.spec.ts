import { appendFile } from 'node:fs/promises';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually, startChild } from '#testing';
import { Receiver, Simulator } from './harness.js';

let simulator: Simulator;
let receiver: Receiver;

beforeEach(async () => {
  receiver = await Receiver.start();
  simulator = await Simulator.start({ SIMULATOR_AIRTEL_CALLBACK_URL: receiver.url });
});

afterEach(async () => {
  await simulator.dispose();
  receiver.close();
});

const phone = '254733123456';

describe('a restarted simulator', () => {
  it.each(['SIGKILL', 'SIGTERM'] as const)(
    'sends the callbacks that it owed when %s ended it, and each movement is there once',
    async (signal) => {
      await simulator.end('SIGTERM');
      // Time for all requests on a busy machine.
      await simulator.restart({ SIMULATOR_DELAY: '6s' });
      const phones = ['254733123456', '254733000013', '254733000038', '254733000002'];
      for (const [index, one] of phones.entries()) await simulator.push(one, { id: `IN0${index}` });
      await simulator.disburse('254733000117', { id: 'OUT0' });
      await simulator.end(signal);
      expect(receiver.callbacks).toEqual([]);

      await simulator.restart();
      await eventually(
        () => Promise.resolve(receiver.callbacks.length),
        (count) => count >= 7,
      );
      await simulator.settled(receiver);
      const said = (id: string) => receiver.of(id).map((one) => one.transaction.status_code);
      expect(['IN00', 'IN01', 'IN02', 'IN03', 'OUT0'].map(said)).toEqual([
        ['TS'],
        ['TS', 'TS'],
        ['TF', 'TS'],
        ['TF'],
        ['TS'],
      ]);
      const rows = (await simulator.statement()).map((row) => row['External ID'] ?? '');
      expect(rows.filter((id) => /^(IN|OUT)/.test(id)).sort()).toEqual([
        'IN00',
        'IN01',
        'IN02',
        'OUT0',
      ]);
    },
  );

  it('still owes a callback that was not answered before the end', async () => {
    receiver.silent = true;
    await simulator.push(phone, { id: 'OWED' });
    await receiver.saying('OWED', 1);
    expect(await simulator.end('SIGTERM')).toBe(0);
    receiver.silent = false;
    await simulator.restart();
    await receiver.saying('OWED', 2);
    expect(receiver.of('OWED')[1]?.raw).toBe(receiver.of('OWED')[0]?.raw);
  });

  it('keeps what was paid, refunded and swept, its keys and its portal, and calls back no more', async () => {
    await simulator.push(phone, { id: 'PAID' });
    await simulator.push('254733000204', { id: 'BACK' });
    await Promise.all([receiver.saying('PAID', 1), receiver.saying('BACK', 1)]);
    const moneyId = receiver.of('PAID')[0]?.transaction.airtel_money_id;
    const later = receiver.of('BACK')[0]?.transaction.airtel_money_id;
    await simulator.refund(moneyId);
    expect((await simulator.refund(later)).code).toBe('ROUTER117');
    await simulator.call('POST', '/_sweep', { amount: '100.00' });
    await simulator.portal({ success_code: '006' });
    const pin = await simulator.sealed('1234');
    const before = await simulator.statementText();
    await simulator.end('SIGTERM');
    await simulator.restart();
    expect(await simulator.statementText()).toBe(before);
    expect((await simulator.refund(moneyId)).code).toBe('DP00800001008');
    // 150.00 are left of the second payment: no second refund is possible.
    expect((await simulator.refund(later)).code).toBe('DP00800001007');
    expect((await simulator.enquire('PAID')).code).toBe('DP00800001006');
    expect((await simulator.disburse(phone, { pin })).code).toBe('DP00900001001');
    await simulator.settled(receiver);
    expect(receiver.of('PAID')).toHaveLength(1);
  });

  it('still knows tokens, throttled requests, enquiries and ids', async () => {
    expect((await simulator.push('254733000036')).http).toBe(429);
    await simulator.push('254733000030', { id: 'ASKED' });
    await simulator.disburse(phone, { id: 'PAIDOUT' });
    expect((await simulator.enquire('ASKED')).code).toBe('ESB000014');
    await simulator.end('SIGKILL');
    await simulator.restart();
    expect((await simulator.push('254733000036')).http).toBe(429);
    expect((await simulator.push('254733000036')).http).toBe(200);
    expect((await simulator.enquire('ASKED')).code).toBe('ESB000014');
    await eventually(
      () => simulator.enquire('ASKED'),
      ({ body }) => body.data?.transaction?.['status'] === 'TS',
    );
    expect((await simulator.push(phone, { id: 'ASKED' })).code).toBe('ESB000041');
    expect((await simulator.disburse(phone, { id: 'PAIDOUT' })).code).toBe('DP00900001017');
  });

  it('fails a payout for want of money once, even if the end came before the note', async () => {
    await simulator.end('SIGTERM');
    await simulator.restart({ SIMULATOR_FLOAT: '1', SIMULATOR_DELAY: '0' });
    await simulator.disburse('254733000117', { id: 'SHORT' });
    await eventually(
      () => simulator.payout('SHORT'),
      ({ code }) => code === 'DP00900001007',
    );
    await simulator.end('SIGKILL');
    await simulator.restart({ SIMULATOR_FLOAT: '1000000' });
    await simulator.settled(receiver);
    expect((await simulator.payout('SHORT')).code).toBe('DP00900001007');
    expect(receiver.of('SHORT')).toEqual([]);
  });

  it('loses no push that it answered, when killed under load', async () => {
    const acknowledged: string[] = [];
    const load = Array.from({ length: 16 }, async () => {
      for (;;) {
        const id = simulator.id();
        const answer = await simulator.push(phone, { id }).catch(() => undefined);
        if (answer?.http !== 200) return;
        acknowledged.push(id);
      }
    });
    await eventually(
      () => Promise.resolve(acknowledged.length),
      (count) => count > 200,
    );
    await simulator.end('SIGKILL');
    await Promise.all(load);
    await simulator.restart();
    for (const id of acknowledged)
      expect((await simulator.enquire(id)).code).not.toBe('DP00800001025');
  });

  it('refuses to start on the journal of another simulator', async () => {
    await simulator.end('SIGTERM');
    const { directory } = simulator;
    await expect(
      startChild('daraja-simulator', { SIMULATOR_PORT: '0', SIMULATOR_DIR: directory }),
    ).rejects.toThrow(/is no journal of this simulator's version/);
  });

  it('refuses to start on a journal that is damaged in the middle, and names the line', async () => {
    await simulator.end('SIGTERM');
    await appendFile(join(simulator.directory, 'journal.jsonl'), 'not JSON\n{"kind":"told"}\n');
    await expect(simulator.restart()).rejects.toThrow(/damaged at line \d+/);
  });
});

describe('the process', () => {
  it('is titled after its app', () => {
    const title = execFileSync('ps', ['-o', 'args=', '-p', String(simulator.pid)]).toString();
    expect(title.trim()).toBe('pesapost-airtel-simulator');
  });

  it('ends with a one-line error if its port is taken', async () => {
    await simulator.end('SIGTERM');
    await expect(
      simulator.restart({ SIMULATOR_AIRTEL_PORT: String(receiver.port) }),
    ).rejects.toThrow(/the Airtel simulator failed: .*EADDRINUSE/);
  });

  it.each(['SIGTERM', 'SIGINT'] as const)(
    'exits with 0 on %s while answers are held back',
    async (signal) => {
      await simulator.end('SIGTERM');
      await simulator.restart({ SIMULATOR_SLOW_ANSWER: '1m' });
      const held = [
        simulator.push('254733000025').catch(() => 'connection lost'),
        simulator.disburse('254733000111').catch(() => 'connection lost'),
      ];
      await eventually(
        () => simulator.stats(),
        ({ pushes, payouts }) => pushes === 1 && payouts === 1,
      );
      expect(await simulator.end(signal)).toBe(0);
      expect(await Promise.all(held)).toEqual(['connection lost', 'connection lost']);
    },
  );
});
