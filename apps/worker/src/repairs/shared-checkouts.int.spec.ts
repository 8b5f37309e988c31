import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { CollectionsClient, QueryStep } from '#edges/rails';
import { UuidIds } from '#infra/runtime';
import { type ClaimPlace, sharedCheckouts } from '#views/reviews';
import { CommandBus } from '@nestjs/cqrs';
import { accepted, paidCallback, RailHarness } from '../../../../test/rail/harness.js';
import { WorkerNow } from '../worker-now.js';
import { repairStep } from './repairs.js';
import { sharedCheckouts as checkouts } from './shared-checkouts.js';

let harness: RailHarness;
let step: () => Promise<unknown>;
const flag = { type: 'ReviewFlagged', data: { why: 'checkout_of_another' } };

beforeAll(async () => {
  harness = await RailHarness.start();
  const { app, database, clock, metrics } = harness;
  const collections = app.get(CollectionsClient, { strict: false });
  const worker = new WorkerNow(clock, new UuidIds());
  const commandBus = app.get(CommandBus, { strict: false });
  step = repairStep(checkouts(), { database, commandBus, collections, worker, metrics });
});
afterAll(() => harness.stop());
beforeEach(async () => {
  await harness.database.query('delete from rail_queries');
});

/** Queries the rail by schedule, and the answer is that it was paid. */
async function paidByQuery(stream: string, railReference: string): Promise<void> {
  await harness.database.query(
    `insert into rail_queries (stream, mode, rail_reference, intent_at)
       values ($1, 'demo', $2, records.now_() - interval '70 s')`,
    [stream, railReference],
  );
  harness.rail.queried = [{ kind: 'paid', resultCode: '0' }];
  await harness.app.get(QueryStep, { strict: false }).step();
  expect((await harness.types(stream)).at(-1)).toBe('WalletPosted');
}

it('flags both once if a query’s “paid” was posted before the view knew the other one', async () => {
  const railReference = `ws_CO_${randomUUID()}`;
  const [stream, other] = [
    await harness.collection(accepted(railReference)),
    await harness.collection(accepted(railReference)),
  ];
  await harness.project([stream], railReference);
  await paidByQuery(stream, railReference);
  await harness.callBack(other, paidCallback(railReference));
  expect((await harness.types(other)).at(-1)).toBe('WalletPosted');
  await step();
  expect(await harness.types(stream)).not.toContain('ReviewFlagged');
  await harness.project([other], railReference);
  for (let look = 0; look < 3; look += 1) {
    await step();
    for (const each of [stream, other])
      expect((await harness.history(each)).slice(4)).toMatchObject([flag]);
  }
  // The person who decided knew of it, so it is not flagged again.
  const last = (await harness.history(stream)).at(-1);
  const data = { decision: 'paid', reason: 'on the statement', proposedBy: 'asha' };
  const metadata = { v: 1, correlationId: 'c', actor: { kind: 'operator', id: 'asha' } } as const;
  await harness.store.append(stream, last?.revision ?? 0n, [
    { id: randomUUID(), event: { type: 'ReviewDecided', data }, metadata },
  ]);
  await step();
  expect((await harness.types(stream)).at(-1)).toBe('ReviewDecided');
});

it('flags both if callbacks settled them and one callback names no receipt', async () => {
  const railReference = `ws_CO_${randomUUID()}`;
  const pair = [
    await harness.collection(accepted(railReference)),
    await harness.collection(accepted(railReference)),
  ] as const;
  const bare = paidCallback(railReference).replace(',"Value":"NLJ7RT61SV"', '');
  await harness.callBack(pair[0], bare);
  await harness.callBack(pair[1], paidCallback(railReference));
  for (const each of pair) expect((await harness.types(each)).at(-1)).toBe('WalletPosted');
  await harness.project(pair, railReference);
  await step();
  for (const each of pair) expect((await harness.history(each)).at(-1)).toMatchObject(flag);
});

it('flags neither collections settled by their own callbacks with receipts, nor an unshared one', async () => {
  const railReference = `ws_CO_${randomUUID()}`;
  const pair = [
    await harness.collection(accepted(railReference)),
    await harness.collection(accepted(railReference)),
  ];
  for (const each of pair) await harness.callBack(each, paidCallback(railReference));
  await harness.project(pair, railReference);
  const push = accepted();
  const alone = await harness.collection(push);
  await harness.project([alone], push.railReference);
  await paidByQuery(alone, push.railReference);
  await step();
  for (const each of [...pair, alone])
    expect(await harness.types(each)).not.toContain('ReviewFlagged');
});

it('flags both if one was posted under an id that turned out to be the other’s', async () => {
  const railReference = `ws_CO_${randomUUID()}`;
  const { database } = harness;
  const posted = await harness.collection({ kind: 'unknown', late: Promise.resolve(undefined) });
  await harness.project([posted], `none-${railReference}`);
  await database.query(`delete from rail_references where rail_reference = $1`, [
    `none-${railReference}`,
  ]);
  await database.query(
    `insert into records.confirmed_checkouts (channel, mode, rail_reference, stream)
       values ('mpesa', 'demo', $1, $2)`,
    [railReference, posted],
  );
  const owner = await harness.collection(accepted(railReference));
  await harness.callBack(owner, paidCallback(railReference));
  await harness.project([owner], railReference);
  await step();
  for (const each of [posted, owner])
    expect(await harness.types(each)).not.toContain('ReviewFlagged');
  await database.query(`update transactions set posted_at = now() where stream = $1`, [posted]);
  await step();
  for (const each of [posted, owner])
    expect((await harness.history(each)).at(-1)).toMatchObject(flag);
});

it('reads the claims page by page, and skips old ones', async () => {
  const { database } = harness;
  await database.query('delete from records.confirmed_checkouts');
  const pairs = [];
  for (let at = 0; at < 3; at += 1) {
    const railReference = `ws_CO_${randomUUID()}`;
    const pair = ['a', 'b'].map((name) => harness.streamOf(`${name}-${railReference}`));
    await harness.project(pair, railReference);
    await database.query(
      `insert into records.confirmed_checkouts (channel, mode, rail_reference, stream, confirmed_at)
         values ('mpesa', 'demo', $1, $2, records.now_() - $3 * interval '1 hour')`,
      [railReference, pair[0], 3 - at],
    );
    pairs.push(pair);
  }
  const [, middle, last] = pairs;
  const look = { forMs: 2.5 * 3_600_000, claims: 1 };
  const pages = [];
  let after: ClaimPlace | undefined;
  do {
    const { streams, place } = await sharedCheckouts(database, { ...look, after });
    pages.push(streams);
    after = place;
  } while (after);
  expect(pages).toEqual([middle, last, []]);
});
