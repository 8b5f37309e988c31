import { randomUUID } from 'node:crypto';
import { correctionStream } from '#domain/corrections';
import { type History, release, useHistory } from '#testing';
import { databaseNow, noteFresh } from '#views/view-set';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { type DaySums, readDaySums, readStatement, statementEntries } from './statement.js';

const account = {
  merchantId: 'm-1',
  mode: 'demo',
  accountNo: '1001',
  currency: 'KES',
  timezone: 'Africa/Nairobi',
} as const;
const sectionPositions = 2n ** 24n;

let history: History;
useHistory((begun) => {
  history = begun;
});

function correct(amountMinor: bigint): void {
  const source = correctionStream({ mode: 'demo', id: randomUUID() });
  const legs = [
    { account: 'wallet:1001', amountMinor: -amountMinor },
    { account: 'fees', amountMinor },
  ] as const;
  const { merchantId, mode, currency } = account;
  const data = { merchantId, mode, currency, legs, why: 'paid twice', proposedBy: 'asha' };
  history.append(source, { type: 'CorrectionProposed', data });
  history.append(source, { type: 'CorrectionPosted', data: { ...data, confirmedBy: 'joe' } });
}

/** Everything that changes a wallet, in sections of the log that it partly fills. */
async function happen(): Promise<void> {
  for (let n = 0; n < 4; n++) {
    history.pay(await history.intend(`paid-${n}`));
    history.pay(await history.intend(`other-${n}`, 'm-2'));
    const held = await history.intend(`held-${n}`);
    history.suspend(held);
    if (n % 2 === 0) history.log.skip(sectionPositions);
    release(history.log, held);
    history.payOut(`wage-${n}`, 'request', 'approve', 'start', 'pay');
    correct(7n);
  }
  await history.project();
  await noteFresh(history.database, 0n, await databaseNow(history.database));
}

describe('the sums of a day', () => {
  beforeEach(happen);

  it('are those of the statement’s entries, wherever it begins and ends', async () => {
    const positions = history.log.events.map(({ position }) => position);
    const ends = positions.filter((_, index) => index % 5 === 0);
    for (const after of [0n, ...ends])
      for (const upTo of ends.filter((end) => end >= after)) {
        const found = await readDaySums(history.database, account, { after, upTo });
        expect({ after, upTo, ...found }).toEqual({ after, upTo, ...(await summed(after, upTo)) });
      }
    const whole = await readDaySums(history.database, account, {
      after: 0n,
      upTo: positions.at(-1) ?? 0n,
    });
    expect(whole).toMatchObject({ collections: 8n, payouts: 4n, corrections: 4n });
  });
});

async function summed(after: bigint, upTo: bigint): Promise<DaySums> {
  const statement = await readStatement(history.database, account, { after, upTo });
  const sums = {
    collectedMinor: 0n,
    feesMinor: 0n,
    paidOutMinor: 0n,
    correctionsMinor: 0n,
    collections: 0n,
    payouts: 0n,
    corrections: 0n,
  };
  for await (const entry of statementEntries(history.database, account, statement)) {
    const { kind, grossMinor, feeMinor, amountMinor } = entry;
    sums[`${kind}s`] += 1n;
    sums.feesMinor += feeMinor ?? 0n;
    if (kind === 'collection') sums.collectedMinor += grossMinor ?? 0n;
    else if (kind === 'payout') sums.paidOutMinor += grossMinor ?? 0n;
    else sums.correctionsMinor += amountMinor;
  }
  return sums;
}
