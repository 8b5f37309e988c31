import { type Verdict } from '#domain/rails';
import { DependencyUnavailable, Overloaded, Timer } from '#domain/kernel';
import { MemoryLog } from '#testing';
import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  Allowances,
  type AskedItem,
  BatchItems,
  byPerson,
  happened,
  NotingRail,
  phone,
  Phones,
  startProcess,
  streamOf,
  type World,
} from '../../test/scene.js';

const approve = { verdict: 'approve', holder: 'joseph' } as const;
const reject = { verdict: 'reject', holder: 'joseph' } as const;
const refused = (refusal: unknown) => ({ ok: false, refusal });
const stands = (status: string) => ({ ok: true, value: { view: { status } } });
const reservations = 'reservations-demo:m-1:1001:KES';
const batchStream = 'payout-demo:m-1:batch~b-1';
const two: readonly AskedItem[] = [
  { reference: 'p-1', amountMinor: 4000n },
  { reference: 'p-2', amountMinor: 1000n, to: '254712345679' },
];

let log: MemoryLog;
let rail: NotingRail;
let phones: Phones;
let allowances: Allowances;
let batchItems: BatchItems;
let made: number;
beforeEach(() => {
  [log, rail, phones, allowances] = [
    new MemoryLog(),
    new NotingRail(),
    new Phones(),
    new Allowances(),
  ];
  [batchItems, made] = [new BatchItems(), 0];
});

/** Thrown when the process dies, so that its pending work never finishes. */
class Died extends Error {}

function begin(more: Partial<World> = {}, at?: Parameters<typeof startProcess>[1]) {
  const nextId = () => `id-${(made += 1)}`;
  const credits = () => 10_000n;
  const stores = { log, rail, phones, allowances, batchItems };
  return startProcess({ ...stores, credits, nextId, feeBasisPoints: 150, ...more }, at);
}
/** A process that dies at its call of this number. */
function dying(calls: number) {
  let made = 0;
  return begin({}, () => ((made += 1) > calls ? Promise.reject(new Died()) : Promise.resolve()));
}
const types = (stream?: string): string[] =>
  log.events.filter((event) => stream === undefined || event.stream === stream).map((e) => e.type);
const total = (): bigint =>
  (log.events.findLast(({ stream }) => stream === reservations)?.data as { totalMinor: bigint })
    .totalMinor;

describe('a batch', () => {
  it('is recorded and reserved whole, approved as one, and each payout is paid on its own', async () => {
    const { requestBatch, decideBatch, send, report } = begin();
    expect(await requestBatch('b-1', two)).toMatchObject({
      ok: true,
      value: { view: { status: 'pending_approval', count: 2, amountMinor: 5000n } },
    });
    expect(types()).toEqual([
      ...['PayoutBatchRequested', 'PayoutRequested', 'PayoutRequested'],
      ...['FundsReserved', 'FundsReserved', 'PayoutReserved', 'PayoutReserved'],
    ]);
    expect(total()).toBe(5075n);
    expect(await decideBatch('b-1', approve)).toMatchObject(stands('pending'));
    for (const reference of ['p-1', 'p-2'])
      expect(types(streamOf(reference))).toEqual([
        ...['PayoutRequested', 'PayoutReserved', 'PayoutApproved'],
      ]);
    const paid: Verdict = { kind: 'paid', resultCode: '0', receipt: 'NLK8RU72TW' };
    const declined: Verdict = { kind: 'declined', failureCode: 'rail_declined' };
    await send('p-1');
    await send('p-2');
    expect(await report('p-1', { verdict: declined })).toMatchObject({
      value: { status: 'failed' },
    });
    expect(await report('p-2', { verdict: paid })).toMatchObject({
      value: { status: 'completed' },
    });
    expect(total()).toBe(1015n);
    expect(
      rail.orders.map((order) => ['phone' in order && order.phone, order.amountMinor]),
    ).toEqual([
      [phone, 4000n],
      ['254712345679', 1000n],
    ]);
    expect([phones.kept.size, batchItems.kept.size]).toEqual([0, 0]);
  });

  it('keeps the evidence of both calls in its own events; its payouts refer to it', async () => {
    const { requestBatch, decideBatch } = begin();
    await requestBatch('b-1', two);
    await decideBatch('b-1', approve);
    const of = (stream: string, type: string) =>
      log.events.find((event) => event.stream === stream && event.type === type);
    const [asked, decided] = [
      of(batchStream, 'PayoutBatchRequested'),
      of(batchStream, 'PayoutBatchApproved'),
    ];
    expect(asked).toMatchObject({
      data: { references: ['p-1', 'p-2'], holder: 'asha' },
      metadata: { evidence: { keyId: 'k' } },
    });
    expect(decided).toMatchObject({
      data: { holder: 'joseph', count: 2, amountMinor: 5000n },
      metadata: { evidence: { keyId: 'k' } },
    });
    for (const reference of ['p-1', 'p-2']) {
      const requested = of(streamOf(reference), 'PayoutRequested');
      const { commitment } = asked?.metadata ?? {};
      expect(requested).toMatchObject({
        data: { batch: 'b-1', holder: 'asha', phoneMasked: 'masked' },
        metadata: { causationId: asked?.id, actor: { holder: 'asha' }, commitment },
      });
      expect(requested?.metadata.evidence).toBeUndefined();
      expect(of(streamOf(reference), 'PayoutApproved')).toMatchObject({
        data: { holder: 'joseph', phoneHmac: expect.any(String) },
        metadata: { causationId: decided?.id, actor: { holder: 'joseph' } },
      });
    }
  });

  it('is refused, and leaves nothing, if it needs more than is available, all fees included', async () => {
    const items = [
      { reference: 'p-1', amountMinor: 9_000n },
      { reference: 'p-2', amountMinor: 853n },
    ];
    expect(await begin().requestBatch('b-1', items)).toEqual(
      refused({ code: 'insufficient_funds' }),
    );
    expect(log.events).toHaveLength(0);
    expect([phones.kept.size, batchItems.kept.size]).toEqual([0, 0]);
  });

  it('with a reference that a payout has is refused, by its place, and records nothing', async () => {
    const { request, requestBatch } = begin();
    await request('p-2', 10n);
    const before = log.events.length;
    expect(await requestBatch('b-1', two)).toEqual(refused({ code: 'reference_exists', item: 1 }));
    expect(log.events).toHaveLength(before);
  });

  it('is returned unchanged if it already exists', async () => {
    const { requestBatch } = begin();
    await requestBatch('b-1', two);
    const before = log.events.length;
    expect(await requestBatch('b-1', [{ reference: 'p-9', amountMinor: 1n }])).toMatchObject({
      value: { existing: { references: ['p-1', 'p-2'] }, view: { count: 2 } },
    });
    expect(log.events).toHaveLength(before);
  });

  it('is rejected whole if it loses a reference after its first event, and nothing stays reserved', async () => {
    const { request, completeBatch } = begin();
    // The process dies when the log has its batch and its first payout.
    await expect(diesAfterEvents(2)).rejects.toThrow(Died);
    await request('p-2', 10n);
    await completeBatch('b-1');
    expect(types(batchStream)).toEqual(['PayoutBatchRequested', 'PayoutBatchRejected']);
    expect(log.events.findLast(({ stream }) => stream === streamOf('p-1'))).toMatchObject({
      type: 'PayoutRejected',
      data: { reason: 'reference_taken' },
    });
    expect(types(streamOf('p-2'))).not.toContain('PayoutRejected');
    expect(total()).toBe(10n);
    expect(batchItems.kept.size).toBe(0);
  });

  it('is rejected whole if its items leave the records before all of them are recorded', async () => {
    await expect(diesAfterEvents(2)).rejects.toThrow(Died);
    batchItems.kept.clear();
    await begin().completeBatch('b-1');
    expect(log.events.findLast(({ stream }) => stream === batchStream)).toMatchObject({
      data: { reason: 'request_lost' },
    });
    expect(types(streamOf('p-1'))).toEqual(['PayoutRequested', 'PayoutRejected']);
  });

  it.each(['p-1', 'p-2'])(
    'is not rejected for lost items if the rail was given %s before, and that payout is listed',
    async (given) => {
      await expect(diesAfterEvents(2)).rejects.toThrow(Died);
      batchItems.kept.clear();
      const { completeBatch } = begin({ orderedBefore: new Set([streamOf(given)]) });
      await completeBatch('b-1');
      await completeBatch('b-1');
      expect(types(batchStream)).toEqual(['PayoutBatchRequested']);
      expect(types(streamOf('p-1'))).toEqual(
        given === 'p-1' ? ['PayoutRequested', 'ReviewFlagged'] : ['PayoutRequested'],
      );
      await begin().completeBatch('b-1');
      expect(types(streamOf('p-1')).at(-1)).toBe('PayoutRejected');
    },
  );

  it('is not rejected for a lost reference if the rail was given one of its payouts before', async () => {
    const { request } = begin();
    await expect(diesAfterEvents(2)).rejects.toThrow(Died);
    await request('p-2', 10n);
    const others = types(streamOf('p-2'));
    const { completeBatch } = begin({ orderedBefore: new Set([streamOf('p-1')]) });
    await completeBatch('b-1');
    await completeBatch('b-1');
    expect(types(batchStream)).toEqual(['PayoutBatchRequested']);
    expect(types(streamOf('p-1'))).toEqual(['PayoutRequested', 'ReviewFlagged']);
    expect([types(streamOf('p-2')), total()]).toEqual([others, 10n]);
  });

  it('is rejected whole if its funds were spent meanwhile', async () => {
    let creditsMinor = 5075n;
    const { requestBatch, request } = begin({ credits: () => creditsMinor });
    await expect(diesAfterEvents(3)).rejects.toThrow(Died);
    await request('p-9', 1000n);
    expect(await requestBatch('b-1', two)).toMatchObject(stands('rejected'));
    expect(total()).toBe(1015n);
    creditsMinor = 100_000n;
    await begin().completeBatch('b-1');
    expect(total()).toBe(1015n);
    expect(allowances.claims.size).toBe(0);
  });

  it('leaves no number in the records if its process died after all was reserved', async () => {
    const kept = new Map<string, unknown>();
    const { requestBatch } = begin({}, (what) => {
      if (what === 'append sent') for (const each of batchItems.kept) kept.set(...each);
      return Promise.resolve();
    });
    await requestBatch('b-1', two);
    expect(kept.size).toBe(1);
    for (const [id, items] of kept) batchItems.kept.set(id, items as never);
    await begin().requestBatch('b-1', two);
    expect(batchItems.kept.size).toBe(0);
  });

  it('is returned at the position of the last event of its payouts', async () => {
    const { requestBatch, decideBatch } = begin();
    const last = () => log.events.at(-1)?.position;
    const asked = await requestBatch('b-1', two);
    expect(asked.ok && asked.value.position).toBe(last());
    const again = await requestBatch('b-1', two);
    expect(again.ok && again.value.position).toBe(last());
    const approved = await decideBatch('b-1', approve);
    expect(approved.ok && approved.value.position).toBe(last());
  });

  it('is refused while its merchant has two at work, even if their callers were answered', async () => {
    let goOn = (): void => undefined;
    const held = new Promise<void>((resolve) => (goOn = resolve));
    class AtOnce extends Timer {
      override sleep = () => Promise.resolve();
    }
    const { requestBatch } = begin({ timer: new AtOnce() }, (what, stream) =>
      what === 'append sent' && stream === reservations ? held : Promise.resolve(),
    );
    const ask = (reference: string) =>
      requestBatch(reference, [{ reference: `${reference}-1`, amountMinor: 1000n }]);
    await ask('b-1');
    await ask('b-2');
    await expect(ask('b-3')).rejects.toThrow(Overloaded);
    expect(types(batchStream.replace('b-1', 'b-3'))).toEqual([]);
    goOn();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await ask('b-3')).toMatchObject(stands('pending_approval'));
  });

  it('is finished by the same request, or the worker, wherever its process died', async () => {
    for (let calls = 0; calls < 60; calls += 1) {
      log = new MemoryLog();
      [phones, batchItems, made] = [new Phones(), new BatchItems(), 0];
      const died = await dying(calls)
        .requestBatch('b-1', two)
        .then(
          () => false,
          () => true,
        );
      if (calls % 2 === 0 || log.events.length === 0) await begin().requestBatch('b-1', two);
      else await begin().completeBatch('b-1');
      expect(await begin().requestBatch('b-1', two)).toMatchObject(stands('pending_approval'));
      expect({ calls, total: total() }).toEqual({ calls, total: 5075n });
      expect(types().filter((type) => type === 'PayoutReserved')).toHaveLength(2);
      await dying(calls)
        .decideBatch('b-1', approve)
        .catch(() => undefined);
      await begin().decideBatch('b-1', approve);
      expect(types().filter((type) => type === 'PayoutApproved')).toHaveLength(2);
      if (!died) return;
    }
    throw new Error('no process came to its end');
  });

  it('returns its current state if it takes longer than the caller may wait, and continues', async () => {
    let goOn = (): void => undefined;
    const held = new Promise<void>((resolve) => (goOn = resolve));
    class AtOnce extends Timer {
      override sleep = () => Promise.resolve();
    }
    const { requestBatch } = begin({ timer: new AtOnce() }, (what, stream) =>
      what === 'append sent' && stream === reservations ? held : Promise.resolve(),
    );
    expect(await requestBatch('b-1', two)).toMatchObject(stands('pending_approval'));
    expect(types()).not.toContain('FundsReserved');
    goOn();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(types().filter((type) => type === 'PayoutReserved')).toHaveLength(2);
  });

  /** A process that requests the batch and dies when the log has this many of its events. */
  function diesAfterEvents(events: number, terms: World['terms'] = {}) {
    const { requestBatch } = begin({ terms }, (what) =>
      what === 'append sent' && log.events.length >= events
        ? Promise.reject(new Died())
        : Promise.resolve(),
    );
    return requestBatch('b-1', two);
  }
});

describe('a second holder', () => {
  it('is never the requester', async () => {
    const { requestBatch, decideBatch } = begin();
    await requestBatch('b-1', two);
    for (const verdict of ['approve', 'reject'] as const)
      expect(await decideBatch('b-1', { verdict, holder: ' ASHA' })).toEqual(
        refused('same_holder'),
      );
  });

  it('approves by the log, even if the process remembers less', async () => {
    let isAway = false;
    const stuck = begin({}, (_call, stream) =>
      isAway && stream === reservations
        ? Promise.reject(new DependencyUnavailable('event store', 'away'))
        : Promise.resolve(),
    );
    isAway = true;
    const first = begin({}, (call, stream) =>
      call === 'append answered' && stream === batchStream
        ? Promise.reject(new Died())
        : Promise.resolve(),
    );
    await expect(first.requestBatch('b-1', two)).rejects.toThrow(Died);
    // This process records the payouts but cannot reserve for them, so another does.
    await expect(stuck.completeBatch('b-1')).rejects.toThrow(DependencyUnavailable);
    await begin().completeBatch('b-1');
    isAway = false;
    expect(await stuck.decideBatch('b-1', approve)).toMatchObject(stands('pending'));
    for (const reference of ['p-1', 'p-2'])
      expect(types(streamOf(reference))).toEqual([
        ...['PayoutRequested', 'PayoutReserved', 'PayoutApproved'],
      ]);
  });

  it('does not approve once their role was revoked while the batch was being reserved (PEO-61)', async () => {
    const [asha, joseph] = ['https://id.example#asha', 'https://id.example#joseph'];
    const finance = {
      person: joseph,
      name: 'J',
      role: 'finance',
      merchantId: 'm-1',
      proposedBy: asha,
    };
    await happened(log, 'merchant-m-1', [
      ['MerchantRegistered', { merchantId: 'm-1' }],
      ['HolderBound', { holder: 'maker', person: asha }],
    ]);
    await happened(log, 'platform-roles', [
      ['RoleGranted', { person: asha, name: 'A', role: 'admin', proposedBy: '#root' }],
      ['RoleGranted', finance],
    ]);
    const first = begin({}, (call, stream) =>
      call === 'append answered' && stream === batchStream
        ? Promise.reject(new Died())
        : Promise.resolve(),
    );
    await expect(first.requestBatch('b-1', two, 'maker')).rejects.toThrow(Died);
    let isRevoked = false;
    const { decideBatch } = begin({}, async (call) => {
      if (call !== 'find items' || isRevoked) return;
      isRevoked = true;
      await happened(log, 'platform-roles', [['RoleRevoked', finance]]);
    });
    const decided = await decideBatch(
      'b-1',
      { verdict: 'approve', holder: joseph },
      byPerson(joseph),
    );
    expect([isRevoked, decided]).toEqual([true, refused('role_lost')]);
    expect(types(batchStream)).toEqual(['PayoutBatchRequested']);
  });

  it('gives all the money back by a rejection', async () => {
    const terms = { maxPerDayMinor: 5000n };
    const { requestBatch, decideBatch } = begin({ terms });
    await requestBatch('b-1', two);
    expect(await decideBatch('b-1', reject)).toMatchObject(stands('rejected'));
    expect(await decideBatch('b-1', reject)).toMatchObject(stands('rejected'));
    expect(await decideBatch('b-1', approve)).toEqual(refused('not_pending_approval'));
    expect([total(), phones.kept.size, allowances.claims.size]).toEqual([0n, 0, 0]);
    expect(types().filter((type) => type === 'ReservationReleased')).toHaveLength(2);
  });

  it('cannot reject a batch if the rail was given one of its payouts in history since lost', async () => {
    const { requestBatch, decideBatch } = begin({ orderedBefore: new Set([streamOf('p-2')]) });
    await requestBatch('b-1', two);
    expect(await decideBatch('b-1', reject)).toEqual(refused('not_pending_approval'));
    expect([types(batchStream), phones.kept.size]).toEqual([['PayoutBatchRequested'], 2]);
    expect(types(streamOf('p-2')).at(-1)).toBe('ReviewFlagged');
    expect(await decideBatch('b-1', approve)).toMatchObject(stands('pending'));
  });

  it('a batch with a payout given to the rail is not rejected for lack of funds, nor approved unreserved', async () => {
    let looks = 0;
    let laterMinor = 0n;
    const credits = () => ((looks += 1) === 1 ? 10_000n : laterMinor);
    const orderedBefore = new Set([streamOf('p-2')]);
    const { requestBatch, decideBatch, completeBatch } = begin({ credits, orderedBefore });
    expect(await requestBatch('b-1', two)).toMatchObject(stands('pending_approval'));
    expect(await decideBatch('b-1', approve)).toEqual(refused('not_pending_approval'));
    expect(types(batchStream)).toEqual(['PayoutBatchRequested']);
    expect(types(streamOf('p-2'))).toEqual(['PayoutRequested', 'ReviewFlagged']);
    laterMinor = 10_000n;
    await completeBatch('b-1');
    expect(await decideBatch('b-1', approve)).toMatchObject(stands('pending'));
  });

  it('a batch rejected in the log keeps what is reserved for a payout given to the rail', async () => {
    const { requestBatch, completeBatch } = begin({ orderedBefore: new Set([streamOf('p-2')]) });
    await requestBatch('b-1', two);
    const data = { reason: 'rejected_by_holder', holder: 'joseph', count: 2, amountMinor: 5000n };
    await happened(log, batchStream, [['PayoutBatchRejected', data]]);
    await completeBatch('b-1');
    expect(types(streamOf('p-1')).at(-1)).toBe('PayoutRejected');
    expect(types(streamOf('p-2')).at(-1)).toBe('ReviewFlagged');
    expect(total()).toBeGreaterThan(0n);
  });

  it('does not reject a payout that an older release without batches approved', async () => {
    const { requestBatch, decideBatch } = begin();
    await requestBatch('b-1', two);
    const data = { holder: 'joseph', amountMinor: 4000n, phoneHmac: 'h' };
    await happened(log, streamOf('p-1'), [['PayoutApproved', data]]);
    await decideBatch('b-1', reject);
    expect(total()).toBe(4060n);
    expect([...phones.kept.keys()].some((key) => key.startsWith(streamOf('p-1')))).toBe(true);
  });

  it('cannot decide under the name of the automatic approver', async () => {
    const { requestBatch, decideBatch } = begin();
    await requestBatch('b-1', two);
    expect(await decideBatch('b-1', { verdict: 'approve', holder: 'Automatic' })).toEqual(
      refused('same_holder'),
    );
  });

  it('decides only on the whole batch, and on no payout of it alone', async () => {
    const { requestBatch, decideBatch, decide } = begin();
    await requestBatch('b-1', two);
    expect(await decide('p-1', approve)).toEqual(refused('not_pending_approval'));
    expect(await decide('p-1', reject)).toEqual(refused('not_pending_approval'));
    await decideBatch('b-1', approve);
    expect(await decide('p-1', approve)).toEqual(refused('not_pending_approval'));
  });

  it.each([
    ['count_differs', { count: 3 }],
    ['amount_differs', { amountMinor: 5001n }],
  ])('is refused if they repeat the totals wrongly: %s', async (refusal, repeated) => {
    const { requestBatch, decideBatch } = begin();
    await requestBatch('b-1', two);
    expect(await decideBatch('b-1', { ...approve, ...repeated })).toEqual(refused(refusal));
    expect(types()).not.toContain('PayoutBatchApproved');
  });

  it('only one of two who decide at once succeeds', async () => {
    const [one, other] = [begin(), begin()];
    await one.requestBatch('b-1', two);
    const answers = await Promise.all([
      one.decideBatch('b-1', approve),
      other.decideBatch('b-1', { verdict: 'reject', holder: 'wanjiru' }),
    ]);
    expect(answers.filter((answer) => answer.ok)).toHaveLength(1);
  });

  it('cannot decide on a batch that was never requested', async () => {
    expect(await begin().decideBatch('b-1', approve)).toEqual(refused('unknown_batch'));
  });
});

describe('an operator’s limits', () => {
  it('bound each payout, and the whole batch counts in the day of its approval', async () => {
    const { requestBatch } = begin({ terms: { maxMinor: 3999n } });
    expect(await requestBatch('b-1', two)).toEqual(refused({ code: 'limit_exceeded' }));
    const day = begin({ terms: { maxPerDayMinor: 5999n } });
    expect(await day.requestBatch('b-1', two)).toMatchObject({ ok: true });
    const more = [{ reference: 'p-3', amountMinor: 1000n }];
    expect(await day.requestBatch('b-2', more)).toMatchObject({ ok: true });
    expect(await day.decideBatch('b-1', approve)).toMatchObject(stands('pending'));
    expect(await day.decideBatch('b-2', approve)).toEqual(refused('limit_exceeded'));
    expect(types('payout-demo:m-1:batch~b-2')).toEqual(['PayoutBatchRequested']);
    // The day keeps the whole amount of its approval although a part is cancelled, because the other part may be paid.
    await day.send('p-1');
    await day.cancelBatch('b-1');
    expect(await day.decideBatch('b-2', approve)).toEqual(refused('limit_exceeded'));
    allowances.day += 1;
    expect(await day.decideBatch('b-2', approve)).toMatchObject(stands('pending'));
  });

  it('name the only numbers that may be paid', async () => {
    const { requestBatch } = begin({ terms: { destinations: new Set([`hmac of ${phone}`]) } });
    expect(await requestBatch('b-1', two)).toEqual(refused({ code: 'destination_not_allowed' }));
    expect(log.events).toHaveLength(0);
  });

  it('let no batch pass alone, however small', async () => {
    const terms = { automaticMaxMinor: 500_000n, automaticPerDayMinor: 800_000n };
    const paidBefore = new Set([`hmac of ${phone}`, 'hmac of 254712345679']);
    expect(await begin({ terms, paidBefore }).requestBatch('b-1', two)).toMatchObject(
      stands('pending_approval'),
    );
  });
});
