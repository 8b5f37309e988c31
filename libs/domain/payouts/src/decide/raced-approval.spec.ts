import { instantFromMs } from '#domain/kernel';
import { type AtCall, MemoryLog } from '#testing';
import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  Allowances,
  byPerson,
  happened,
  NotingRail,
  Phones,
  startProcess,
  streamOf,
  type World,
} from '../../test/scene.js';

const [asha, joseph] = ['https://id.example#asha', 'https://id.example#joseph'];
const approval = { verdict: 'approve', holder: 'till' } as const;
const ageMs = 4 * 86_400_000;

/** In these tests, Asha's own holder tries to approve Asha's request. */
let world: World;
beforeEach(async () => {
  const log = new MemoryLog();
  let made = 0;
  world = {
    log,
    rail: new NotingRail(),
    phones: new Phones(),
    allowances: new Allowances(),
    credits: () => 10_000n,
    nextId: () => `id-${(made += 1)}`,
    feeBasisPoints: 0,
    terms: {},
  };
  await happened(log, 'merchant-m-1', [
    ['MerchantRegistered', { merchantId: 'm-1' }],
    ['HolderBound', { holder: 'till', person: asha }],
  ]);
});

/** Runs `act` before a second read of the payout's stream, because checks on one read do not count for another. */
function beforeSecondRead(act: () => Promise<unknown>): AtCall {
  let reads = 0;
  return async (what, stream) => {
    if (what === 'read' && stream === streamOf('p-1') && (reads += 1) === 2) await act();
  };
}

const approvals = (): number =>
  world.log.events.filter(({ type }) => type === 'PayoutApproved').length;

describe('an approval that races with the payout’s own steps', () => {
  it('does not pass because the request is recorded meanwhile', async () => {
    const asking = { holder: asha, metadata: byPerson(asha) };
    const other = startProcess(world);
    const at = beforeSecondRead(() => other.request('p-1', 100n, asking));
    const { ok } = await startProcess(world, at).decide('p-1', approval);
    expect({ ok, approvals: approvals() }).toEqual({ ok: false, approvals: 0 });
  });

  it('does not pass because an approval expires meanwhile', async () => {
    const other = startProcess(world);
    await other.request('p-1', 100n, { holder: asha, metadata: byPerson(asha) });
    await other.decide('p-1', { verdict: 'approve', holder: joseph }, byPerson(joseph));
    const at = beforeSecondRead(() => other.expire('p-1', instantFromMs(Date.now() + ageMs)));
    const { ok } = await startProcess(world, at).decide('p-1', approval);
    expect({ ok, approvals: approvals() }).toEqual({ ok: false, approvals: 1 });
  });

  it('does not pass if its call is from before another approval’s expiry (PAY-65)', async () => {
    const other = startProcess(world);
    await other.request('p-1', 100n, { holder: 'amina' });
    const again = { verdict: 'approve', holder: 'joseph' } as const;
    let isFirst = true;
    const at: AtCall = async (what, stream) => {
      if (what !== 'append sent' || stream !== streamOf('p-1') || !isFirst) return;
      isFirst = false;
      await other.decide('p-1', again);
      await other.expire('p-1', instantFromMs(Date.now() + ageMs));
    };
    const late = await startProcess(world, at).decide('p-1', { ...again, expiries: 0 });
    expect(late).toEqual({ ok: false, refusal: 'not_pending_approval' });
    expect(approvals()).toBe(1);
    expect(await other.decide('p-1', { ...again, expiries: 1 })).toMatchObject({ ok: true });
  });
});
