import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { accepted, RailHarness } from '../../../../../test/rail/harness.js';
import { RailReferences } from './rail-references.js';

let harness: RailHarness;
let references: RailReferences;
beforeAll(async () => {
  harness = await RailHarness.start();
  references = harness.app.get(RailReferences, { strict: false });
  // The log must not be empty, so that the view can be behind it.
  await harness.collection(accepted());
});
afterAll(() => harness.stop());
beforeEach(() => viewStandsAt(0n));

/** Sets the view's position as the projector would leave it. */
async function viewStandsAt(position: bigint): Promise<void> {
  await harness.database.query('update checkpoint set position = $1', [position]);
}

async function project(stream: string, railReference: string): Promise<void> {
  await harness.database.query(
    `insert into transactions (position, stream, merchant_id, mode, type, reference, status, amount_minor,
       currency, fee_minor, id, account_no, channel, rail_reference, under_review, created_at,
       requested_minor, created_on)
     values (1, $1, 'm1', 'demo', 'collection', 'r1', 'pending', 1, 'KES', 0, gen_random_uuid(), '1', 'mpesa',
       $2, false, now(), 1, now())`,
    [stream, railReference],
  );
  await harness.database.query(`insert into rail_references values ('demo', $1, 1)`, [
    railReference,
  ]);
}

const mine = { channel: 'mpesa', mode: 'demo', railReference: 'ws_CO_mine' } as const;

it('the owner of a rail reference is found once the view has caught up with the log', async () => {
  const search = references.streamsWith(mine);
  await sleep(150);
  await project('collection-demo:m1:r1', 'ws_CO_mine');
  await viewStandsAt(10n ** 15n);
  expect(await search).toEqual(['collection-demo:m1:r1']);
  expect(await references.streamsWith({ ...mine, mode: 'live' })).toEqual([]);
  expect(await references.streamsWith({ ...mine, channel: 'pigeon' })).toEqual([]);
});

it('a lookup of the owner fails if the view stays behind the log', async () => {
  await expect(references.streamsWith({ ...mine, railReference: 'ws_CO_any' })).rejects.toThrow(
    'read model is unavailable',
  );
});
