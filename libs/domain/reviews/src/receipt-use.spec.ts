import { type EventStore, type ExpectedRevision } from '#domain/event-sourcing';
import { DependencyUnavailable } from '#domain/kernel';
import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  type ReceiptClaim,
  ReceiptClaims,
  ReceiptUse,
  type StandingClaim,
  UsedReceipts,
} from './receipt-use.js';

const minuteMs = 60_000;
const [lost, right] = ['payout-demo:m:lost', 'payout-demo:m:right'];
const receipt = 'NLJ7RT61SV';

class Claims extends ReceiptClaims {
  held: StandingClaim | undefined;
  isAway = false;

  override claim(wanted: ReceiptClaim): Promise<StandingClaim | undefined> {
    if (this.held && this.held.stream !== wanted.stream) return Promise.resolve(this.held);
    this.held = { ...wanted, isAppended: false, ageMs: 0 };
    return Promise.resolve(undefined);
  }
  override appended(): Promise<void> {
    if (this.isAway) return Promise.reject(new DependencyUnavailable('postgres', 'away'));
    if (this.held) this.held = { ...this.held, isAppended: true };
    return Promise.resolve();
  }
  override pass(_from: ReceiptClaim, to: ReceiptClaim): Promise<boolean> {
    this.held = { ...to, isAppended: false, ageMs: 0 };
    return Promise.resolve(true);
  }
}

class NoReceipts extends UsedReceipts {
  override streamsWith(): Promise<readonly string[]> {
    return Promise.resolve([]);
  }
}

let claims: Claims;
/** The revision of the last event of the stream that has the claim. */
let last: bigint | undefined;
let use: ReceiptUse;
beforeEach(() => {
  claims = new Claims();
  last = 4n;
  const readLast = () => Promise.resolve(last === undefined ? undefined : { revision: last });
  use = new ReceiptUse({ readLast } as unknown as EventStore, claims, new NoReceipts());
});

const taken = (stream: string, revision: ExpectedRevision = 4n) =>
  use.take({ mode: 'demo', stream, receipt, revision });
const age = (ms: number): void => {
  if (claims.held) claims.held = { ...claims.held, ageMs: ms };
};

describe('a receipt that another stream has claimed', () => {
  it('is not free while the append may be on its way, however long ago it was claimed', async () => {
    expect(await taken(lost)).toBe(true);
    age(1_000_000 * minuteMs);
    expect(await taken(right)).toBe(false);
  });

  it('is not free while its event may only not be visible yet', async () => {
    await taken(lost);
    await use.noteAppended({ mode: 'demo', stream: lost, receipt, revision: 4n });
    age(4 * minuteMs);
    expect(await taken(right)).toBe(false);
  });

  it('is free once its event was appended and the log has it no more', async () => {
    await taken(lost);
    await use.noteAppended({ mode: 'demo', stream: lost, receipt, revision: 4n });
    age(6 * minuteMs);
    expect(await taken(right)).toBe(true);
    expect(claims.held).toMatchObject({ stream: right, isAppended: false });
  });

  it.each([3n, undefined])(
    'is free once its stream ends before the revision that was read (%s)',
    async (end) => {
      await taken(lost);
      last = end;
      age(4 * minuteMs);
      expect(await taken(right)).toBe(false);
      age(6 * minuteMs);
      expect(await taken(right)).toBe(true);
    },
  );

  it('is free once its stream has moved on without it', async () => {
    await taken(lost);
    last = 5n;
    expect(await taken(right)).toBe(true);
  });
});

it('a note that cannot be kept changes nothing of what was appended', async () => {
  await taken(lost);
  claims.isAway = true;
  await use.noteAppended({ mode: 'demo', stream: lost, receipt, revision: 4n });
  expect(claims.held).toMatchObject({ stream: lost, isAppended: false });
});
