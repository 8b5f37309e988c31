import { type CommandMetadata, type RecordedEvent } from '#domain/event-sourcing';
import { type AtCall, MemoryLog } from '#testing';
import { beforeEach, expect, it } from '@jest/globals';
import {
  Allowances,
  BatchItems,
  by,
  collected,
  NotingRail,
  Phones,
  startProcess,
  streamOf,
  type World,
} from '../../test/scene.js';

const reservations = 'reservations-demo:m-1:1001:KES';
const approve = { verdict: 'approve', holder: 'joseph' } as const;
const reject = { verdict: 'reject', holder: 'joseph' } as const;

let world: World & { readonly log: MemoryLog };
beforeEach(() => {
  let made = 0;
  world = {
    log: new MemoryLog(),
    rail: new NotingRail(),
    phones: new Phones(),
    allowances: new Allowances(),
    batchItems: new BatchItems(),
    credits: () => 10_000n,
    nextId: () => `id-${(made += 1)}`,
  };
});

/** A process that dies when it appends to the wallet's reservations. */
function dying() {
  const at: AtCall = (what, stream) =>
    what === 'append sent' && stream === reservations
      ? Promise.reject(new Error('died'))
      : Promise.resolve();
  return startProcess(world, at);
}

/** Metadata of the second call, whose bytes the records remove once it has recorded nothing of its own. */
const second: CommandMetadata = {
  ...by('joseph'),
  correlationId: 'second call',
  evidence: { keyId: 'k', ciphertext: 'second call' },
  commitment: 'd'.repeat(64),
};

/** Runs the second call and returns the events that it appended, by type and metadata. */
async function appendedBy(call: () => Promise<unknown>) {
  const before = world.log.events.length;
  await call();
  return world.log.events.slice(before).map(({ type, metadata }) => ({ type, metadata }));
}

/** The metadata of an event that the service appended while it answered the second call. */
const ofService = (type: RecordedEvent['type'], more: Partial<CommandMetadata> = {}) => {
  const { correlationId } = second;
  const actor = { kind: 'system', id: 'payouts' };
  return { type, metadata: { v: 1, correlationId, actor, ...more } };
};

it('another’s request that a second one completes has no evidence of the second one (EVT-66)', async () => {
  await expect(dying().request('p-1', 4000n)).rejects.toThrow('died');
  const events = await appendedBy(async () => {
    const { request } = startProcess(world);
    expect(await request('p-1', 4000n, { metadata: second })).toMatchObject({
      value: { existing: { holder: 'asha' }, view: { status: 'pending_approval' } },
    });
  });
  const [funds] = world.log.events.filter(({ type }) => type === 'FundsReserved');
  const causationId = String(funds?.id);
  expect(events).toEqual([
    ofService('FundsReserved'),
    ofService('PayoutReserved', { causationId }),
  ]);
});

it('a refund that a second request completes has no evidence of the second one', async () => {
  await collected(world.log, 'INV-1', 4000n);
  const { refund } = dying();
  await expect(refund('R-1', { collection: 'INV-1' })).rejects.toThrow('died');
  const events = await appendedBy(() =>
    startProcess(world).refund('R-1', { collection: 'INV-1', holder: 'joseph' }),
  );
  expect(events.map(({ type }) => type)).toEqual([
    ...['FundsReserved', 'RefundReserved', 'PayoutReserved'],
  ]);
  for (const { metadata } of events) {
    expect(metadata.actor).toEqual({ kind: 'system', id: 'payouts' });
    expect(metadata.evidence).toBeUndefined();
  }
});

it('a rejection that its repeat completes has the evidence of the first call alone', async () => {
  await startProcess(world).request('p-1', 4000n);
  await expect(dying().decide('p-1', reject)).rejects.toThrow('died');
  const events = await appendedBy(async () => {
    const { decide } = startProcess(world);
    expect(await decide('p-1', reject, second)).toMatchObject({ value: { isRepeated: true } });
  });
  expect(events).toEqual([ofService('ReservationReleased')]);
});

it('a repeated approval or cancellation appends nothing under its own evidence', async () => {
  const { request, decide, cancel } = startProcess(world);
  await request('p-1', 4000n);
  await decide('p-1', approve);
  await dying()
    .cancel('p-1')
    .catch(() => undefined);
  const events = await appendedBy(() => cancel('p-1'));
  const actor = { kind: 'system', id: 'payouts' };
  expect(events).toMatchObject([{ type: 'ReservationReleased', metadata: { actor } }]);
  expect(events[0]?.metadata.evidence).toBeUndefined();
});

it('a batch that a second request rejects for want of funds is rejected by the service', async () => {
  const items = [{ reference: 'p-1', amountMinor: 4000n }];
  await expect(dying().requestBatch('b-1', items)).rejects.toThrow('died');
  const poor = startProcess({ ...world, credits: () => 0n });
  const events = await appendedBy(() => poor.requestBatch('b-1', items, 'joseph', second));
  expect(events[0]).toMatchObject(ofService('PayoutBatchRejected'));
  for (const { metadata } of events) {
    expect(metadata.evidence).toBeUndefined();
    expect(metadata.commitment).toBeUndefined();
  }
  expect(world.log.events.some(({ stream }) => stream === streamOf('p-1'))).toBe(true);
});
