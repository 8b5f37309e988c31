import { type History, release, useHistory } from '#testing';
import { databaseNow, noteFresh } from '#views/view-set';
import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  type AccountStatement,
  type DaySums,
  readDaySums,
  readStatement,
  statementEntries,
} from './statement.js';

const account = {
  merchantId: 'm-1',
  mode: 'demo',
  accountNo: '1001',
  currency: 'KES',
  timezone: 'Africa/Nairobi',
} as const;
const sectionPositions = 2n ** 24n;

/** Paid twice, and taken back. */
const wronglyPaid = [
  { account: 'wallet:1001', amountMinor: -7n },
  { account: 'fees', amountMinor: 7n },
] as const;

let history: History;
useHistory((begun) => {
  history = begun;
});

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
    history.correct(wronglyPaid);
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
        const statement = await readStatement(history.database, account, { after, upTo });
        const found = await readDaySums(history.database, account, statement);
        expect({ after, upTo, ...found }).toEqual({ after, upTo, ...(await summed(statement)) });
      }
    const range = { after: 0n, upTo: positions.at(-1) ?? 0n };
    const whole = await readStatement(history.database, account, range);
    expect(await readDaySums(history.database, account, whole)).toMatchObject({
      collections: 8n,
      payouts: 4n,
      corrections: 4n,
    });
  });
});

async function summed(statement: AccountStatement): Promise<DaySums> {
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
