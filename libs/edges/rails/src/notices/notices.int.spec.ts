import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { instantFromMs } from '#domain/kernel';
import { sealNoticeToken } from '../callback/callback-keys.js';
import { InboxStep } from '../inbox/inbox-step.js';
import { TakenPayments } from '../payment-lists/taken-payments.js';
import {
  accepted,
  paidCallback,
  RailHarness,
  railAddress,
  shortcode,
  unnamedAccount,
  untrustedAddress,
} from '../../../../../test/rail/harness.js';

const accountNo = '1000000001';
const pushWaitMs = 121_000;
const acknowledged = [200, { ResultCode: 0, ResultDesc: 'Accepted' }];

let harness: RailHarness;
let step: () => Promise<unknown>;
beforeAll(async () => {
  harness = await RailHarness.start();
  const inbox = harness.app.get(InboxStep, { strict: false });
  step = () => inbox.step();
  const { merchantId } = harness;
  await harness.database.query(
    `insert into merchants (merchant_id, name, timezone, country)
       values ($1, 'Duka', 'Africa/Nairobi', 'KE')`,
    [merchantId],
  );
  for (const number of [accountNo, unnamedAccount])
    await harness.database.query(`insert into accounts values ($2, $1, 'demo', 'KES', 2)`, [
      merchantId,
      number,
    ]);
  await harness.database.query(`update checkpoint set fresh_at = now() + interval '1 hour'`);
});
afterAll(() => harness.stop());
beforeEach(() => harness.database.query(`delete from records.callback_inbox`));

const newReceipt = (): string => `R${randomUUID().replaceAll('-', '').slice(0, 9).toUpperCase()}`;

interface Notice {
  readonly receipt: string;
  readonly account?: string;
  readonly amount?: string;
  readonly of?: string;
}

function body({ receipt, account = accountNo, amount = '500.00', of = shortcode }: Notice): string {
  const now = new Date(harness.clock.nowMs() + 3 * 3_600_000).toISOString();
  return JSON.stringify({
    TransactionType: 'Pay Bill',
    TransID: receipt,
    TransTime: now.slice(0, 19).replace(/[-:T]/g, ''),
    TransAmount: amount,
    BusinessShortCode: of,
    BillRefNumber: account,
    InvoiceNumber: '',
    OrgAccountBalance: '500.00',
    ThirdPartyTransID: '',
    MSISDN: '2547 ***** 678',
    FirstName: 'JOHN',
    MiddleName: '',
    LastName: 'DOE',
  });
}

async function notify(notice: Notice, from = railAddress): Promise<[number, unknown]> {
  const token = sealNoticeToken(
    harness.keyring,
    { channel: 'mpesa', mode: 'demo' },
    'confirmation',
  );
  return harness.post(`c2b/${token}`, body(notice), from);
}

const streamOf = (receipt: string): string => harness.streamOf(`mpesa~${receipt}`);

async function outcomes(): Promise<readonly (string | null)[]> {
  const rows = await harness.database.query<{ outcome: string | null }>(
    'select outcome from records.callback_inbox order by received_at',
  );
  return rows.map(({ outcome }) => outcome);
}

/** Makes all waiting notices due, as if that time had passed. */
async function pass(ms: number): Promise<void> {
  await harness.database.query(
    `update records.callback_inbox
        set received_at = received_at - $1 * interval '1 millisecond', next_attempt_at = records.now_()
      where applied_at is null`,
    [ms],
  );
}

/** Writes what the projector would write for an item with the receipt. */
async function project(stream: string, receipt: string): Promise<void> {
  await harness.project([stream], `ws_${receipt}`);
  await harness.database.query(
    `insert into receipts select mode, $2, position from transactions where stream = $1`,
    [stream, receipt],
  );
}

describe('a notice of the rail that names an account', () => {
  it('is durable before it is acknowledged, and posted to that account, once', async () => {
    const receipt = newReceipt();
    expect(await notify({ receipt })).toEqual(acknowledged);
    expect(await outcomes()).toEqual([null]);
    await notify({ receipt });
    await step();
    expect(await outcomes()).toEqual(['received', 'received']);
    expect(await harness.history(streamOf(receipt))).toMatchObject([
      {
        type: 'CollectionIntentRecorded',
        data: { origin: 'c2b', accountNo, amountMinor: 50_000n },
        metadata: { actor: { kind: 'rail', id: 'mpesa' } },
      },
      { type: 'RailConfirmed', data: { by: 'callback', receipt } },
      { type: 'WalletPosted', data: { amountMinor: 50_000n } },
    ]);
  });

  it('has its bytes as evidence', async () => {
    const receipt = newReceipt();
    await notify({ receipt });
    await step();
    const [message] = await harness.messagesOf(streamOf(receipt));
    if (!message) throw new Error('the message was not kept');
    expect(harness.opened(message).toString()).toContain(receipt);
  });

  it('is the same payment if a later notice names another account', async () => {
    const receipt = newReceipt();
    await notify({ receipt });
    await step();
    await notify({ receipt, account: unnamedAccount, amount: '999.00' });
    await step();
    expect(await outcomes()).toEqual(['received', 'received']);
    expect(await harness.types(streamOf(receipt))).toHaveLength(3);
  });

  it('adds nothing if an item has its receipt', async () => {
    const receipt = newReceipt();
    await project(await harness.collection(), receipt);
    await notify({ receipt });
    await step();
    expect(await outcomes()).toEqual(['known']);
    expect(await harness.types(streamOf(receipt))).toEqual([]);
  });
});

describe('a notice of the rail that names no account of ours', () => {
  it('waits two minutes for a push’s own callback, and then goes to suspense', async () => {
    const receipt = newReceipt();
    await notify({ receipt, account: 'JOHN RENT' });
    await step();
    expect(await outcomes()).toEqual(['maybe_pushed']);
    expect(await harness.types(streamOf(receipt))).toEqual([]);
    await pass(pushWaitMs);
    await step();
    expect(await outcomes()).toEqual(['settled']);
    expect(await harness.history(streamOf(receipt))).toMatchObject([
      { type: 'CollectionIntentRecorded', data: { accountNo: unnamedAccount } },
      { type: 'SuspensePosted', data: { receipt, amountMinor: 50_000n } },
      { type: 'ReviewFlagged', data: { why: 'account_not_named' } },
    ]);
  });

  it('adds nothing if the push’s callback brought the receipt meanwhile', async () => {
    const receipt = newReceipt();
    await notify({ receipt, account: '' });
    await step();
    await project(await harness.collection(), receipt);
    await pass(pushWaitMs);
    await step();
    expect(await outcomes()).toEqual(['known']);
  });

  it('settles the push whose code it names, if the push’s callback was lost', async () => {
    const receipt = newReceipt();
    const push = accepted();
    const stream = await harness.collection(push);
    const [intent] = await harness.history(stream);
    if (intent?.type !== 'CollectionIntentRecorded') throw new Error('no intent');
    const code = intent.data.accountReference ?? '';
    await harness.project([stream], push.railReference);
    await harness.database.query(
      `update transactions set account_reference = $2, created_on = now()::date where stream = $1`,
      [stream, code],
    );
    await harness.database.query(
      `insert into transaction_days
         select merchant_id, mode, now()::date, min(position), max(position) from transactions group by 1, 2
       on conflict (merchant_id, mode, day) do update set last_position = excluded.last_position`,
    );
    harness.rail.queried = [{ kind: 'paid', resultCode: '0' }];
    await notify({ receipt, account: code, amount: '250.00' });
    await pass(pushWaitMs);
    await step();
    expect(await outcomes()).toEqual(['settled']);
    expect((await harness.types(stream)).slice(2)).toEqual([
      'RailConfirmed',
      'WalletPosted',
      'RailReceiptRecorded',
    ]);
    expect(await harness.types(streamOf(receipt))).toEqual([]);
  });

  it('that came before the push’s callback leaves that callback its money', async () => {
    const push = accepted();
    const stream = await harness.collection(push);
    await notify({ receipt: 'NLJ7RT61SV', account: '' });
    await step();
    await harness.callBack(stream, paidCallback(push.railReference));
    expect((await harness.types(stream)).at(-1)).toBe('WalletPosted');
    await project(stream, 'NLJ7RT61SV');
    await pass(pushWaitMs);
    await step();
    expect(await outcomes()).toEqual(['known']);
  });
});

describe('a notice that is not believed', () => {
  it.each([
    ['from an untrusted sender', {}, untrustedAddress, 'not_from_rail'],
    ['for another short code', { of: '999999' }, railAddress, 'other_short_code'],
  ])('%s posts nothing, and is listed with what it says', async (_, over, from, why) => {
    const receipt = newReceipt();
    expect(await notify({ receipt, ...over }, from)).toEqual(acknowledged);
    await step();
    const rows = await harness.database.query(
      `select outcome, told_receipt, told_minor::text from records.callback_inbox`,
    );
    expect(rows).toEqual([
      { outcome: `left_for_review: ${why}`, told_receipt: receipt, told_minor: '50000' },
    ]);
    expect(await harness.types(streamOf(receipt))).toEqual([]);
  });

  it('is kept 64 times at most, whatever receipts it names', async () => {
    for (let count = 0; count < 64; count += 1)
      await notify({ receipt: newReceipt() }, untrustedAddress);
    const [status] = await notify({ receipt: newReceipt() }, untrustedAddress);
    expect(status).toBe(503);
    expect(await notify({ receipt: newReceipt() })).toEqual(acknowledged);
  });

  it('that only asks before the payment posts nothing, at whatever address', async () => {
    const token = sealNoticeToken(
      harness.keyring,
      { channel: 'mpesa', mode: 'demo' },
      'validation',
    );
    for (const path of [`c2b/${token}`, token])
      expect(await harness.post(path, body({ receipt: newReceipt() }))).toEqual(acknowledged);
    expect(await outcomes()).toEqual([]);
  });

  it('with a body that is none changes nothing', async () => {
    const token = sealNoticeToken(
      harness.keyring,
      { channel: 'mpesa', mode: 'demo' },
      'confirmation',
    );
    expect(await harness.post(`c2b/${token}`, '{"TransID":""}')).toEqual(acknowledged);
    expect(await harness.post('c2b/00', body({ receipt: newReceipt() }))).toEqual(acknowledged);
    expect(await outcomes()).toEqual([]);
  });
});

describe('a payment of the rail’s list that no push asked for', () => {
  const listed = (receipt: string, account?: string) =>
    harness.app.get(TakenPayments, { strict: false }).judge(
      {
        channel: 'mpesa',
        mode: 'demo',
        day: new Date(harness.clock.nowMs()).toISOString().slice(0, 10),
        fromMs: 0,
        untilMs: harness.clock.nowMs() - 60_000,
        isForgottenSoon: false,
        offset: 0,
        attempt: 1,
      },
      {
        kind: 'page',
        unreadable: 0,
        payments: [
          {
            receipt,
            amountMinor: 50_000n,
            paidAt: instantFromMs(harness.clock.nowMs()),
            ...(account === undefined ? {} : { accountNo: account }),
          },
        ],
      },
    );

  it('is received on the list alone, because its notice was lost', async () => {
    const receipt = newReceipt();
    expect(await listed(receipt, accountNo)).toEqual([]);
    expect(await harness.history(streamOf(receipt))).toMatchObject([
      { type: 'CollectionIntentRecorded', data: { accountNo } },
      { type: 'RailConfirmed', data: { by: 'query', receipt } },
      { type: 'WalletPosted' },
    ]);
  });

  it('is one payment with its notice, whichever comes first', async () => {
    const [early, late] = [newReceipt(), newReceipt()];
    await listed(early, accountNo);
    await notify({ receipt: early });
    await notify({ receipt: late });
    await step();
    await listed(late, accountNo);
    for (const receipt of [early, late])
      expect(await harness.types(streamOf(receipt))).toHaveLength(3);
  });

  it('is posted once if notice and list race', async () => {
    const receipts = Array.from({ length: 20 }, newReceipt);
    await Promise.all(receipts.map((receipt) => notify({ receipt })));
    await Promise.all([
      step(),
      ...receipts.map((receipt) => listed(receipt, accountNo).catch(() => [])),
    ]);
    await pass(0);
    await step();
    await step();
    for (const receipt of receipts)
      expect(await harness.types(streamOf(receipt))).toEqual([
        'CollectionIntentRecorded',
        'RailConfirmed',
        'WalletPosted',
      ]);
  });
});
