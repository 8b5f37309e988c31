import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  phone,
  type RailHarness,
  railAddress,
  shortcode,
  unnamedAccount,
  untrustedAddress,
} from '../../../../../test/rail/harness.js';
import { type AskedReceipts } from '../../../../../test/rail/faulty.js';
import {
  acknowledged,
  newReceipt,
  NoticeScene,
  pushedMinor,
  pushWaitMs,
} from '../../test/notice-scene.js';

const hourMs = 3_600_000;
const masked = '2547*****678';

let scene: NoticeScene;
let harness: RailHarness;
let questions: AskedReceipts;
beforeAll(async () => {
  scene = await NoticeScene.start();
  ({ harness } = scene);
  questions = harness.receiptRail;
});
afterAll(() => harness.stop());
beforeEach(async () => {
  questions.isAskable = true;
  questions.outcome = 'taken';
  questions.asked.length = 0;
  // No earlier question counts any more. Time never goes back, so the questions keep their pace.
  harness.clock.shiftMs += 61_000;
  const rows = ['receipts', 'rail_references', 'transactions', 'quarantines'];
  for (const table of ['records.callback_inbox', ...rows])
    await harness.database.query(`delete from ${table}`);
});

/** A notice from an address that is not the rail's, and the question about its receipt. */
async function asked(receipt = newReceipt()) {
  expect(await scene.notify({ receipt }, untrustedAddress)).toEqual(acknowledged);
  await scene.step();
  const question = questions.asked.at(-1);
  if (!question) throw new Error('no question was asked');
  return { receipt, token: question.resultUrl.split('/').at(-1) ?? '' };
}

interface Told {
  readonly amount?: string;
  readonly to?: string;
  readonly from?: string;
  readonly status?: string;
  readonly code?: number;
  readonly named?: string;
}

/** The rail answers a question. By default its address is one that we do not know. */
function answer(
  { receipt, token }: { readonly receipt: string; readonly token: string },
  { amount = '500.00', to = shortcode, from = phone, status = 'Completed', code = 0, named }: Told,
  sender = untrustedAddress,
) {
  const now = new Date(harness.clock.nowMs() + 3 * hourMs).toISOString();
  const time = now.slice(0, 19).replace(/[-:T]/g, '');
  const parameters = {
    DebitPartyName: `${from} - JOHN DOE`,
    CreditPartyName: `${to} - Duka`,
    TransactionStatus: status,
    ReceiptNo: named ?? receipt,
    Amount: amount,
    FinalisedTime: time,
  };
  const list = Object.entries(parameters).map(([Key, Value]) => ({ Key, Value }));
  const body = {
    Result: {
      ResultType: 0,
      ResultCode: code,
      ConversationID: 'AG_1',
      ...(code === 0 && { ResultParameters: { ResultParameter: list } }),
    },
  };
  return harness.post(token, JSON.stringify(body), sender);
}

const unfinished = async (): Promise<readonly (string | null)[]> => {
  const rows = await harness.database.query<{ outcome: string | null }>(
    'select outcome from records.callback_inbox where applied_at is null order by received_at',
  );
  return rows.map(({ outcome }) => outcome);
};

describe('a notice of an untrusted sender for a receipt that the rail reports as paid', () => {
  it('is recorded in suspense, once, with the rail’s answer and not with the notice’s data', async () => {
    const question = await asked();
    expect(await scene.outcomes()).toEqual(['receipt_asked']);
    expect(await harness.types(scene.streamOf(question.receipt))).toEqual([]);
    for (let time = 0; time < 2; time += 1)
      expect(await answer(question, { amount: '420.00' })).toEqual(acknowledged);
    await scene.pass(pushWaitMs);
    await scene.step();
    await scene.step();
    expect(await scene.historyOf(question.receipt)).toMatchObject([
      {
        type: 'CollectionIntentRecorded',
        data: { origin: 'c2b', accountNo: unnamedAccount, amountMinor: 42_000n },
        metadata: { actor: { kind: 'rail', id: 'mpesa' } },
      },
      { type: 'SuspensePosted', data: { receipt: question.receipt, amountMinor: 42_000n } },
      { type: 'ReviewFlagged', data: { why: 'account_not_named' } },
    ]);
    const [message] = await harness.messagesOf(scene.streamOf(question.receipt));
    if (!message) throw new Error('the message was not kept');
    expect(message.kind).toBe('query_answer');
    expect(harness.opened(message).toString()).toContain('CreditPartyName');
  });

  it('settles the push of that amount, number and time, if its callback was lost', async () => {
    const stream = await scene.pushToTill(masked);
    const question = await asked();
    await answer(question, { amount: '250.00' });
    harness.rail.queried = [{ kind: 'paid', resultCode: '0' }];
    await scene.pass(pushWaitMs);
    await scene.step();
    expect((await harness.types(stream)).slice(2)).toEqual([
      'RailConfirmed',
      'WalletPosted',
      'RailReceiptRecorded',
    ]);
    expect(pushedMinor).toBe(25_000n);
    expect(await harness.types(scene.streamOf(question.receipt))).toEqual([]);
  });

  it('is one payment with the rail’s own notice and list of it', async () => {
    const question = await asked();
    await scene.notify({ receipt: question.receipt });
    await scene.step();
    expect(await harness.types(scene.streamOf(question.receipt))).toHaveLength(3);
    await answer(question, {});
    await scene.pass(pushWaitMs);
    await scene.step();
    await scene.listed(question.receipt);
    expect(await harness.types(scene.streamOf(question.receipt))).toEqual([
      'CollectionIntentRecorded',
      'RailConfirmed',
      'WalletPosted',
    ]);
  });

  it('is asked about while a merchant is quarantined, and recorded once it is resumed', async () => {
    await scene.quarantine('m-quarantined');
    const question = await asked();
    await answer(question, {});
    await scene.pass(pushWaitMs);
    await scene.step();
    expect(await unfinished()).toEqual(['receipt_asked', 'merchant_quarantined']);
    expect(await harness.types(scene.streamOf(question.receipt))).toEqual([]);
    await harness.database.query('delete from quarantines');
    await scene.pass(0);
    await scene.step();
    expect(await harness.types(scene.streamOf(question.receipt))).toHaveLength(3);
  });

  it('leaves the list of reviews once an item has the receipt', async () => {
    const question = await asked();
    await scene.project(await harness.collection(), question.receipt);
    await scene.pass(pushWaitMs);
    await scene.step();
    expect(await scene.outcomes()).toEqual(['known']);
  });
});

describe('an answer that proves no payment to us', () => {
  it.each<[string, Told, string]>([
    ['the receipt is unknown', { code: 2032 }, 'receipt_not_known'],
    ['an unknown code', { code: 4711 }, 'receipt_unclear'],
    ['not completed', { status: 'Declined' }, 'receipt_not_paid'],
    ['another short code', { to: '999999' }, 'receipt_not_paid'],
    ['a payout of ours', { from: shortcode, to: phone }, 'receipt_not_paid'],
    ['another receipt', { named: 'RKL51ZDR4F' }, 'receipt_unclear'],
  ])('posts nothing, and the notice stays: %s', async (_what, told, outcome) => {
    const question = await asked();
    await answer(question, told, railAddress);
    await scene.step();
    expect(await scene.outcomes()).toEqual(['receipt_asked', outcome]);
    expect(await unfinished()).toEqual(['receipt_asked']);
    await scene.pass(hourMs);
    await scene.step();
    expect((await scene.outcomes())[0]).toBe('left_for_review: not_from_rail');
    for (const receipt of [question.receipt, 'RKL51ZDR4F'])
      expect(await harness.types(scene.streamOf(receipt))).toEqual([]);
  });

  it('is counted by its code if that is in no list', async () => {
    await answer(await asked(), { code: 4712 });
    await scene.step();
    expect(await harness.metrics.registry.metrics()).toMatch(
      /rail_unknown_results_total\{[^}]*code="4712"\} 1/,
    );
  });

  it('posts nothing if it comes from elsewhere hours after the question', async () => {
    const question = await asked();
    await answer(question, {});
    await harness.database.query(
      `update records.callback_inbox set received_at = received_at + interval '3 hours'
        where purpose like 'notice_answer:%'`,
    );
    await scene.step();
    expect(await scene.outcomes()).toContain('receipt_answer_late');
    expect(await harness.types(scene.streamOf(question.receipt))).toEqual([]);
  });

  it('changes nothing if its body is no result', async () => {
    const { token } = await asked();
    expect(await harness.post(token, '{"Result":{}}')).toEqual(acknowledged);
    expect(await scene.outcomes()).toEqual(['receipt_asked']);
  });
});

describe('the questions about receipts', () => {
  it('are few for one notice, further and further apart, and end with a person', async () => {
    await asked();
    for (let minute = 0; minute < 70; minute += 1) {
      harness.clock.shiftMs += 60_000;
      await harness.database.query(
        `update records.callback_inbox set received_at = received_at - interval '1 minute',
           next_attempt_at = next_attempt_at - interval '1 minute' where applied_at is null`,
      );
      await scene.step();
    }
    expect(questions.asked.length).toBeGreaterThanOrEqual(3);
    expect(questions.asked.length).toBeLessThanOrEqual(5);
    expect(await scene.outcomes()).toEqual(['left_for_review: not_from_rail']);
  });

  it('are one for a receipt that many notices name', async () => {
    const { receipt } = await asked();
    for (let count = 0; count < 5; count += 1) await scene.notify({ receipt }, untrustedAddress);
    await scene.step();
    expect(questions.asked).toHaveLength(1);
    // The first question may still be answered.
    harness.clock.shiftMs += 90_000;
    await scene.pass(90_000);
    await scene.step();
    expect(questions.asked).toHaveLength(1);
    harness.clock.shiftMs += 31_000;
    await scene.pass(31_000);
    await scene.step();
    expect(questions.asked).toHaveLength(2);
  });

  it('are at most one a second, and five at once, however many notices come', async () => {
    for (let count = 0; count < 30; count += 1)
      await scene.notify({ receipt: newReceipt() }, untrustedAddress);
    const startedAtMs = harness.clock.nowMs();
    /** Five at once, and one for each second since, however slow the machine is. */
    const mostByNow = () => 5 + Math.ceil((harness.clock.nowMs() - startedAtMs) / 1000);
    for (let round = 0; round < 3; round += 1) await scene.step();
    const before = questions.asked.length;
    expect(before).toBeGreaterThanOrEqual(5);
    expect(before).toBeLessThanOrEqual(mostByNow());
    harness.clock.shiftMs += 2000;
    await scene.pass(2000);
    for (let round = 0; round < 3; round += 1) await scene.step();
    expect(questions.asked.length).toBeGreaterThanOrEqual(Math.min(30, before + 2));
    expect(questions.asked.length).toBeLessThanOrEqual(mostByNow());
  });

  it('are counted if the rail does not take them, and asked again later', async () => {
    questions.outcome = 'not_asked';
    await asked();
    expect(await harness.metrics.registry.metrics()).toMatch(
      /rail_receipt_questions_total\{[^}]*outcome="not_asked"\} \d/,
    );
    expect(harness.logLines.some((line) => line.includes('asked about the receipt'))).toBe(true);
    questions.outcome = 'taken';
    harness.clock.shiftMs += 61_000;
    await scene.pass(61_000);
    await scene.step();
    expect(questions.asked).toHaveLength(2);
  });

  it('are none if the mode cannot be asked: the notice is for a person at once', async () => {
    questions.isAskable = false;
    await scene.notify({ receipt: newReceipt() }, untrustedAddress);
    await scene.step();
    expect(questions.asked).toEqual([]);
    expect(await scene.outcomes()).toEqual(['left_for_review: not_from_rail']);
  });

  it('stop for a quarter of an hour once M-Pesa refuses the initiator', async () => {
    await answer(await asked(), { code: 2001 });
    await scene.step();
    expect(await scene.outcomes()).toContain('receipt_unclear');
    expect(await harness.metrics.registry.metrics()).not.toMatch(
      /unknown_results[^\n]*code="2001"/,
    );
    await scene.notify({ receipt: newReceipt() }, untrustedAddress);
    await scene.step();
    expect(questions.asked).toHaveLength(1);
    expect(await unfinished()).toEqual(['receipt_asked', 'receipt_asked']);
    harness.clock.shiftMs += 15 * 60_000;
    await scene.pass(15 * 60_000);
    await scene.step();
    expect(questions.asked).toHaveLength(3);
  });
});
