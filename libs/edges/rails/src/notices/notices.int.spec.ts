import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  accepted,
  paidCallback,
  type RailHarness,
  railAddress,
  unnamedAccount,
  untrustedAddress,
} from '../../../../../test/rail/harness.js';
import {
  accountNo,
  acknowledged,
  newReceipt,
  NoticeScene,
  pushWaitMs,
} from '../../test/notice-scene.js';

let scene: NoticeScene;
let harness: RailHarness;
beforeAll(async () => {
  scene = await NoticeScene.start();
  ({ harness } = scene);
});
afterAll(() => harness.stop());
beforeEach(() => harness.database.query(`delete from records.callback_inbox`));

describe('a notice of the rail that names an account', () => {
  it('is durable before it is acknowledged, and posted to that account, once', async () => {
    const receipt = newReceipt();
    expect(await scene.notify({ receipt })).toEqual(acknowledged);
    expect(await scene.outcomes()).toEqual([null]);
    await scene.notify({ receipt });
    await scene.step();
    expect(await scene.outcomes()).toEqual(['received', 'received']);
    expect(await scene.historyOf(receipt)).toMatchObject([
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
    await scene.notify({ receipt });
    await scene.step();
    const [message] = await harness.messagesOf(scene.streamOf(receipt));
    if (!message) throw new Error('the message was not kept');
    expect(harness.opened(message).toString()).toContain(receipt);
  });

  it('is the same payment if a later notice names another account', async () => {
    const receipt = newReceipt();
    await scene.notify({ receipt });
    await scene.step();
    await scene.notify({ receipt, account: unnamedAccount, amount: '999.00' });
    await scene.step();
    expect(await scene.outcomes()).toEqual(['received', 'received']);
    expect(await harness.types(scene.streamOf(receipt))).toHaveLength(3);
  });

  it('adds nothing if an item has its receipt', async () => {
    const receipt = newReceipt();
    await scene.project(await harness.collection(), receipt);
    await scene.notify({ receipt });
    await scene.step();
    expect(await scene.outcomes()).toEqual(['known']);
    expect(await harness.types(scene.streamOf(receipt))).toEqual([]);
  });
});

describe('a notice of the rail that names no account of ours', () => {
  it('waits two minutes for a push’s own callback, and then goes to suspense', async () => {
    const receipt = newReceipt();
    await scene.notify({ receipt, account: 'JOHN RENT' });
    await scene.step();
    expect(await scene.outcomes()).toEqual(['maybe_pushed']);
    expect(await harness.types(scene.streamOf(receipt))).toEqual([]);
    await scene.pass(pushWaitMs);
    await scene.step();
    expect(await scene.outcomes()).toEqual(['settled']);
    expect(await scene.historyOf(receipt)).toMatchObject([
      { type: 'CollectionIntentRecorded', data: { accountNo: unnamedAccount } },
      { type: 'SuspensePosted', data: { receipt, amountMinor: 50_000n } },
      { type: 'ReviewFlagged', data: { why: 'account_not_named' } },
    ]);
  });

  it('adds nothing if the push’s callback brought the receipt meanwhile', async () => {
    const receipt = newReceipt();
    await scene.notify({ receipt, account: '' });
    await scene.step();
    await scene.project(await harness.collection(), receipt);
    await scene.pass(pushWaitMs);
    await scene.step();
    expect(await scene.outcomes()).toEqual(['known']);
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
    await scene.projectDays();
    harness.rail.queried = [{ kind: 'paid', resultCode: '0' }];
    await scene.notify({ receipt, account: code, amount: '250.00' });
    await scene.pass(pushWaitMs);
    await scene.step();
    expect(await scene.outcomes()).toEqual(['settled']);
    expect((await harness.types(stream)).slice(2)).toEqual([
      'RailConfirmed',
      'WalletPosted',
      'RailReceiptRecorded',
    ]);
    expect(await harness.types(scene.streamOf(receipt))).toEqual([]);
  });

  it('leaves the money to the push’s callback if it came before that', async () => {
    const push = accepted();
    const stream = await harness.collection(push);
    await scene.notify({ receipt: 'NLJ7RT61SV', account: '' });
    await scene.step();
    await harness.callBack(stream, paidCallback(push.railReference));
    expect((await harness.types(stream)).at(-1)).toBe('WalletPosted');
    await scene.project(stream, 'NLJ7RT61SV');
    await scene.pass(pushWaitMs);
    await scene.step();
    expect(await scene.outcomes()).toEqual(['known']);
  });
});

describe('while a merchant of the mode is quarantined, a notice', () => {
  const [other, otherNo] = [randomUUID(), '1000000002'];
  /** Twelve digits may also be the code of a push. */
  const codeLikeNo = '100000000012';
  beforeAll(async () => {
    await harness.database.query(
      `insert into merchants (merchant_id, name, timezone, country)
         values ($1, 'Soko', 'Africa/Nairobi', 'KE')`,
      [other],
    );
    for (const [number, merchantId] of [
      [otherNo, other],
      [codeLikeNo, harness.merchantId],
    ])
      await harness.database.query(`insert into accounts values ($1, $2, 'demo', 'KES', 3)`, [
        number,
        merchantId,
      ]);
  });
  afterEach(resume);

  async function resume(): Promise<void> {
    await harness.database.query('delete from quarantines');
  }

  it('is recorded at once if it is for another merchant’s account', async () => {
    await scene.quarantine(other);
    await scene.quarantine(harness.merchantId, 'live');
    const receipt = newReceipt();
    await scene.notify({ receipt });
    await scene.step();
    expect(await scene.outcomes()).toEqual(['received']);
    expect(await harness.types(scene.streamOf(receipt))).toEqual([
      'CollectionIntentRecorded',
      'RailConfirmed',
      'WalletPosted',
    ]);
  });

  it('is recorded at once if it is for an expected payment of another merchant', async () => {
    await scene.quarantine(other);
    const stream = await scene.expect('HELD1');
    await scene.notify({ receipt: newReceipt(), account: `${accountNo} HELD1` });
    await scene.step();
    expect(await scene.outcomes()).toEqual(['received']);
    expect((await harness.types(stream)).slice(1)).toEqual(['RailConfirmed', 'WalletPosted']);
  });

  it('adds nothing if the views contain an item with its receipt', async () => {
    await scene.quarantine(other);
    const receipt = newReceipt();
    await scene.project(await harness.collection(), receipt);
    await scene.notify({ receipt });
    await scene.step();
    expect(await scene.outcomes()).toEqual(['known']);
  });

  it('waits until the merchant is resumed if it is for that merchant’s own account', async () => {
    await scene.quarantine(harness.merchantId);
    const receipt = newReceipt();
    await scene.notify({ receipt });
    await scene.step();
    expect(await scene.outcomes()).toEqual(['merchant_quarantined']);
    expect(await harness.types(scene.streamOf(receipt))).toEqual([]);
    await resume();
    await scene.pass(0);
    await scene.step();
    expect(await scene.outcomes()).toEqual(['received']);
  });

  it('waits if an operator used its receipt, and adds nothing once the views show for which item', async () => {
    await scene.quarantine(other);
    const receipt = newReceipt();
    await harness.database.query(
      `insert into records.receipt_claims (mode, receipt, stream, revision) values ('demo', $1, $2, 3)`,
      [receipt, `collection-demo:${other}:x`],
    );
    await scene.notify({ receipt });
    await scene.step();
    expect(await scene.outcomes()).toEqual(['merchant_quarantined']);
    await scene.project(`collection-demo:${other}:x`, receipt);
    await resume();
    await scene.pass(0);
    await scene.step();
    expect(await scene.outcomes()).toEqual(['known']);
    expect(await harness.types(scene.streamOf(receipt))).toEqual([]);
  });

  it.each([
    ['names no account', 'JOHN RENT'],
    ['names a number that no account has', '1999999999'],
    ['names an account whose number can be a code, too', codeLikeNo],
  ])('waits if it may be about a push: it %s', async (_, account) => {
    await scene.quarantine(other);
    const receipt = newReceipt();
    await scene.notify({ receipt, account });
    await scene.pass(pushWaitMs);
    await scene.step();
    const [outcome] = await scene.outcomes();
    expect(['merchant_quarantined', 'DependencyUnavailable']).toContain(outcome);
    expect(await harness.types(scene.streamOf(receipt))).toEqual([]);
    await resume();
    await scene.pass(0);
    await scene.step();
    expect(await harness.types(scene.streamOf(receipt))).toHaveLength(3);
  });

  it('adds nothing to a payment that is recorded for an account whose merchant is held back', async () => {
    const receipt = newReceipt();
    expect(await scene.listed(receipt)).toEqual([]);
    expect(await harness.types(scene.streamOf(receipt))).toHaveLength(3);
    await scene.quarantine(harness.merchantId);
    await scene.notify({ receipt, account: otherNo });
    await scene.step();
    expect(await scene.outcomes()).toEqual(['received']);
    expect(await harness.types(`collection-demo:${other}:mpesa~${receipt}`)).toEqual([]);
  });
});

describe('a notice that is not believed', () => {
  it.each([
    ['from an untrusted sender', {}, untrustedAddress, 'not_from_rail'],
    ['for another short code', { of: '999999' }, railAddress, 'other_short_code'],
  ])('%s posts nothing, and is listed with its receipt and amount', async (_, over, from, why) => {
    const receipt = newReceipt();
    expect(await scene.notify({ receipt, ...over }, from)).toEqual(acknowledged);
    await scene.step();
    const rows = await harness.database.query(
      `select outcome, told_receipt, told_minor::text from records.callback_inbox`,
    );
    expect(rows).toEqual([
      { outcome: `left_for_review: ${why}`, told_receipt: receipt, told_minor: '50000' },
    ]);
    expect(await harness.types(scene.streamOf(receipt))).toEqual([]);
  });

  /** Notices of untrusted senders, each with a receipt of its own. */
  const fill = (count: number, outcome: string, isOpen: boolean) =>
    harness.database.query(
      `insert into records.callback_inbox
         (id, stream, purpose, key_id, ciphertext, source_address, trusted, outcome, applied_at)
         select gen_random_uuid(), 'c2b-demo:mpesa:untrusted:R' || n, 'notice', 'k1', '', '::1', false, $2,
             case when $3 then null else now() end
           from generate_series(1, $1::integer) n`,
      [count, outcome, isOpen],
    );
  const status = async (receipt: string, from = untrustedAddress) =>
    (await scene.notify({ receipt }, from))[0];

  it('takes no place once it is settled', async () => {
    for (let count = 0; count < 64; count += 1) expect(await status(newReceipt())).toBe(200);
    await harness.database.query(
      `update records.callback_inbox set applied_at = now(), outcome = 'settled'`,
    );
    expect(await status(newReceipt())).toBe(200);
    await fill(1024, 'known', false);
    expect(await status(newReceipt())).toBe(200);
  });

  it.each([
    ['unfinished', 'receipt_asked', true],
    ['left for review', 'left_for_review: not_from_rail', false],
  ])(
    'is refused if 1024 receipts are open, but a repeat of one of them is not: %s',
    async (_, outcome, isOpen) => {
      await fill(1023, outcome, isOpen);
      // A second row of the same receipt takes no place.
      await fill(1, outcome, isOpen);
      const last = newReceipt();
      expect(await status(last)).toBe(200);
      expect(await status(newReceipt())).toBe(503);
      expect(await status(last)).toBe(200);
      expect(await status(newReceipt(), railAddress)).toBe(200);
    },
  );

  it('takes no place once the ledger has its receipt', async () => {
    await fill(1024, 'left_for_review: not_from_rail', false);
    await harness.database.query(
      `update records.callback_inbox set told = true, told_receipt = split_part(stream, ':', 4)`,
    );
    expect(await status(newReceipt())).toBe(503);
    await harness.database.query(
      `insert into corrections (stream, id, merchant_id, mode, currency, legs, why, receipt, may_overdraw, proposed_by, proposed_at, position, confirmed_by, posted_at)
         values ('correction-demo:1', '1', $1, 'demo', 'KES', '{}', 'w', 'R7', false, 'a', now(), 1, 'b', now())`,
      [harness.merchantId],
    );
    expect(await status(newReceipt())).toBe(200);
    expect(await status(newReceipt())).toBe(503);
  });

  it('is kept at most 64 times for one receipt', async () => {
    const receipt = newReceipt();
    for (let count = 0; count < 64; count += 1) expect(await status(receipt)).toBe(200);
    expect(await status(receipt)).toBe(503);
    expect(await status(newReceipt())).toBe(200);
  });

  it('posts nothing at any address if it only asks before the payment', async () => {
    const token = scene.token('validation');
    for (const path of [`c2b/${token}`, token])
      expect(await harness.post(path, scene.body({ receipt: newReceipt() }))).toEqual(acknowledged);
    expect(await scene.outcomes()).toEqual([]);
  });

  it('changes nothing if its body is no notice', async () => {
    const token = scene.token('confirmation');
    expect(await harness.post(`c2b/${token}`, '{"TransID":""}')).toEqual(acknowledged);
    expect(await harness.post('c2b/00', scene.body({ receipt: newReceipt() }))).toEqual(
      acknowledged,
    );
    expect(await scene.outcomes()).toEqual([]);
  });
});

describe('a payment of the rail’s list that no push asked for', () => {
  it('is received from the list alone if its notice was lost', async () => {
    const receipt = newReceipt();
    expect(await scene.listed(receipt, { accountNo })).toEqual([]);
    expect(await scene.historyOf(receipt)).toMatchObject([
      { type: 'CollectionIntentRecorded', data: { accountNo } },
      { type: 'RailConfirmed', data: { by: 'query', receipt } },
      { type: 'WalletPosted' },
    ]);
  });

  it('is one payment with its notice, whichever comes first', async () => {
    const [early, late] = [newReceipt(), newReceipt()];
    await scene.listed(early, { accountNo });
    await scene.notify({ receipt: early });
    await scene.notify({ receipt: late });
    await scene.step();
    await scene.listed(late, { accountNo });
    for (const receipt of [early, late])
      expect(await harness.types(scene.streamOf(receipt))).toHaveLength(3);
  });

  it('is posted once if notice and list race', async () => {
    const receipts = Array.from({ length: 20 }, newReceipt);
    await Promise.all(receipts.map((receipt) => scene.notify({ receipt })));
    await Promise.all([
      scene.step(),
      ...receipts.map((receipt) => scene.listed(receipt, { accountNo }).catch(() => [])),
    ]);
    await scene.pass(0);
    await scene.step();
    await scene.step();
    for (const receipt of receipts)
      expect(await harness.types(scene.streamOf(receipt))).toEqual([
        'CollectionIntentRecorded',
        'RailConfirmed',
        'WalletPosted',
      ]);
  });
});
