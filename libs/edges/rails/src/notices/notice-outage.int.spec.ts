import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type RailHarness } from '../../../../../test/rail/harness.js';
import { accountNo, newReceipt, NoticeScene, pushWaitMs } from '../../test/notice-scene.js';

/** As many as the inbox tries at once while the event store is away. */
const few = 4;
/** As many as it tries at once otherwise. */
const many = 16;

let scene: NoticeScene;
let harness: RailHarness;
beforeAll(async () => {
  scene = await NoticeScene.start();
  ({ harness } = scene);
});
afterAll(() => harness.stop());
beforeEach(() => harness.database.query(`delete from records.callback_inbox`));

async function applied(): Promise<number> {
  const [row] = await harness.database.query<{ count: number }>(
    'select count(*)::int as count from records.callback_inbox where applied_at is not null',
  );
  return row?.count ?? 0;
}

/** Takes the event store away until the inbox knows it. */
async function outage(): Promise<void> {
  harness.store.isAway = true;
  await expect(scene.step()).rejects.toThrow('event store is unavailable');
  harness.store.isAway = false;
}

describe('an inbox of notices alone', () => {
  it.each([
    ['an account', accountNo, 'received'],
    ['no account', 'JOHN RENT', 'settled'],
  ])(
    'is applied at full width again once the event store is back if the notices name %s',
    async (_, account, outcome) => {
      for (let count = 0; count < few + many; count += 1)
        await scene.notify({ receipt: newReceipt(), account });
      await scene.pass(pushWaitMs);
      await outage();
      expect(await applied()).toBe(0);
      await scene.step();
      expect(await applied()).toBe(few);
      await scene.step();
      expect(await applied()).toBe(few + many);
      expect(new Set(await scene.outcomes())).toEqual(new Set([outcome]));
    },
  );

  it('does not take the event store for available because Postgres answers', async () => {
    const known = Array.from({ length: few }, newReceipt);
    for (const receipt of known) {
      await scene.project(await harness.collection(), receipt);
      await scene.notify({ receipt });
    }
    await scene.notify({ receipt: newReceipt() });
    await outage();
    expect(await applied()).toBe(few);
    expect(await scene.outcomes()).toEqual([...known.map(() => 'known'), 'EventStoreUnavailable']);
  });
});
