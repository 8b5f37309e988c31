import { hash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { listUnmatchedPayments } from '#records/rails';
import { paidCallback, phone, type RailHarness } from '../../../../../test/rail/harness.js';
import { newReceipt, NoticeScene, pushedMinor, pushWaitMs } from '../../test/notice-scene.js';

const masked = '2547*****678';
const paid = { kind: 'paid', resultCode: '0' } as const;
const inSuspense = ['CollectionIntentRecorded', 'SuspensePosted', 'ReviewFlagged'];

let scene: NoticeScene;
let harness: RailHarness;
beforeAll(async () => {
  scene = await NoticeScene.start();
  ({ harness } = scene);
});
afterAll(() => harness.stop());
// A push of another test is not to be meant.
beforeEach(async () => {
  for (const table of ['records.callback_inbox', 'receipts', 'rail_references', 'transactions'])
    await harness.database.query(`delete from ${table}`);
});

/** A customer pays KES 250 to the till, and the notice that names a hash of the number has waited for a push. */
async function paidToTill(): Promise<string> {
  const receipt = newReceipt();
  const number = hash('sha256', phone);
  await scene.notify({ receipt, account: '', amount: '250.00', number });
  await scene.pass(pushWaitMs);
  await scene.step();
  return receipt;
}

const missed = async (): Promise<readonly string[]> =>
  (await listUnmatchedPayments(harness.database, { limit: 100 })).map(({ receipt }) => receipt);

describe('a notice that hides the number in a hash', () => {
  it('posts nothing if the payment may be a push’s whose callback was lost, and is listed', async () => {
    const stream = await scene.pushToTill(masked);
    const receipt = await paidToTill();
    expect(await scene.outcomes()).toEqual(['left_for_review: nobody_asked']);
    expect(await harness.types(scene.streamOf(receipt))).toEqual([]);
    expect(await harness.types(stream)).not.toContain('WalletPosted');
    expect(await missed()).toContain(receipt);
  });

  it('posts nothing if a status query has posted that push without a receipt', async () => {
    const stream = await scene.pushToTill(masked);
    await harness.database.query(
      `update transactions set status = 'completed', posted_at = now() where stream = $1`,
      [stream],
    );
    const receipt = await paidToTill();
    expect(await scene.outcomes()).toEqual(['left_for_review: nobody_asked']);
    expect(await harness.types(scene.streamOf(receipt))).toEqual([]);
    expect(await missed()).toContain(receipt);
  });

  it('leaves the push its money if the rail’s list names the number afterwards', async () => {
    const stream = await scene.pushToTill(masked);
    const receipt = await paidToTill();
    harness.rail.queried = [paid];
    expect(await scene.listed(receipt, { amountMinor: pushedMinor, party: masked })).toEqual([]);
    expect((await harness.types(stream)).slice(2)).toEqual([
      'RailConfirmed',
      'WalletPosted',
      'RailReceiptRecorded',
    ]);
    expect(await harness.types(scene.streamOf(receipt))).toEqual([]);
    await harness.database.query(
      `with push as (update transactions set posted_at = now(), receipt = $2 where stream = $1 returning *)
       insert into receipts select mode, $2, position from push`,
      [stream, receipt],
    );
    expect(await missed()).not.toContain(receipt);
  });

  it('leaves the push its money if its callback comes late', async () => {
    const stream = await scene.pushToTill(masked);
    const receipt = await paidToTill();
    const [, accepted] = await harness.history(stream);
    if (accepted?.type !== 'RailPushAccepted') throw new Error('no push');
    await harness.callBack(stream, paidCallback(accepted.data.railReference));
    expect((await harness.types(stream)).slice(2)).toEqual(['RailConfirmed', 'WalletPosted']);
    expect(await harness.types(scene.streamOf(receipt))).toEqual([]);
  });

  it('is recorded in suspense, once, if the rail’s list then names another number', async () => {
    const stream = await scene.pushToTill(masked);
    const receipt = await paidToTill();
    const other = { amountMinor: pushedMinor, party: '2547*****111' };
    for (let time = 0; time < 2; time += 1) expect(await scene.listed(receipt, other)).toEqual([]);
    expect(await harness.types(scene.streamOf(receipt))).toEqual(inSuspense);
    expect(await harness.types(stream)).not.toContain('WalletPosted');
  });

  it('is recorded in suspense at once if no push asked for the amount', async () => {
    const expected = await scene.expect('SAME1');
    await harness.project([expected], 'ws_none');
    await harness.database.query(`update transactions set requested_minor = $1`, [pushedMinor]);
    await scene.projectDays();
    const receipt = await paidToTill();
    expect(await scene.outcomes()).toEqual(['settled']);
    expect(await harness.types(scene.streamOf(receipt))).toEqual(inSuspense);
  });
});
