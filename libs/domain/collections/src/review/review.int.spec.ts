import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { amountMinor, ReviewFixture } from '../../test/review-fixture.js';
import { type Ruling } from '#domain/reviews';
import { type CollectionKey, collectionStream } from '../collection.events.js';

let fixture: ReviewFixture;
beforeAll(async () => {
  fixture = await ReviewFixture.start();
});
afterAll(() => fixture.stop());

const refused = (refusal: string) => ({ ok: false, refusal });
const found = (receipt = 'NLJ7RT61SV') => ({ receipt, amountMinor });

describe('a proposal', () => {
  it('changes nothing until another operator confirms it, and then names who and why for ever', async () => {
    const { resolve, confirm } = fixture.operators();
    const key = await fixture.silent();
    const proposed = await resolve(key, 'asha', { decision: 'paid', payment: found() });
    if (!proposed.ok || proposed.value.kind !== 'proposed') throw new Error('not proposed');
    expect(await fixture.typesOf(key)).toEqual([]);
    expect(await confirm(key, 'asha')).toEqual({ ok: false, refusal: 'same_operator' });
    expect(await confirm(key, 'joseph', proposed.value.proposal.id)).toMatchObject({
      ok: true,
      value: { view: { status: 'completed' } },
    });
    const [decided] = (await fixture.eventsOf(key)).slice(2);
    expect(decided).toMatchObject({
      type: 'ReviewDecided',
      data: { decision: 'paid', reason: 'line 12', proposedBy: 'asha', confirmedBy: 'joseph' },
      metadata: {
        actor: { kind: 'operator', id: 'joseph' },
        causationId: proposed.value.proposal.id,
        reason: 'line 12',
      },
    });
    expect(await fixture.outcomesOf(key)).toEqual(['decided']);
    expect(await confirm(key, 'joseph')).toEqual({ ok: false, refusal: 'no_proposal' });
  });

  it('can no longer be confirmed once a person was asked something else', async () => {
    const { resolve, confirm } = fixture.operators();
    const key = await fixture.silent();
    await fixture.railPays(key, amountMinor);
    await fixture.railPays(key, amountMinor, 'OTHER00001');
    await resolve(key, 'asha', { decision: 'paid' });
    await fixture.railPays(key, amountMinor + 1n);
    expect(await confirm(key, 'joseph')).toEqual({ ok: false, refusal: 'overtaken' });
    expect(await fixture.outcomesOf(key)).toEqual(['overtaken']);
  });

  it('is read as it was stored, the rail’s own time included', async () => {
    const { resolve, proposals } = fixture.operators();
    const key = await fixture.silent();
    const paidAt = '2026-11-19T06:15:31.000Z' as const;
    const ruling = { decision: 'paid', payment: { ...found('WITHTIME01'), paidAt } } as Ruling;
    const proposed = await resolve(key, 'asha', ruling);
    if (!proposed.ok || proposed.value.kind !== 'proposed') throw new Error('not proposed');
    const open = await proposals.findOpen(collectionStream(key));
    expect(open).toMatchObject(proposed.value.proposal);
    expect(open?.ruling).toEqual(ruling);
  });

  it('posts once if the process died before the proposal was ended', async () => {
    const { resolve, confirm, proposals } = fixture.operators();
    const key = await fixture.silent();
    await resolve(key, 'asha', { decision: 'paid', payment: found('DYING00001') });
    proposals.deaths = 1;
    await expect(confirm(key, 'joseph')).rejects.toThrow('died');
    expect(await fixture.outcomesOf(key)).toEqual([null]);
    expect(await confirm(key, 'joseph')).toMatchObject({ ok: true });
    expect(await fixture.typesOf(key)).toEqual(['ReviewDecided', 'RailConfirmed', 'WalletPosted']);
    expect(await fixture.outcomesOf(key)).toEqual(['decided']);
  });

  it('counts as decided, not replaced, if the process died and the next decision came', async () => {
    const { resolve, confirm, proposals } = fixture.operators();
    const key = await fixture.silent();
    await resolve(key, 'asha', {
      decision: 'paid',
      payment: { ...found('DYING00002'), amountMinor: 5n },
    });
    proposals.deaths = 1;
    await expect(confirm(key, 'joseph')).rejects.toThrow('died');
    await resolve(key, 'asha', { decision: 'suspense_to_merchant' });
    expect(await fixture.outcomesOf(key)).toEqual(['decided', null]);
    expect(await confirm(key, 'joseph')).toMatchObject({
      ok: true,
      value: { view: { status: 'completed', amountMinor: 5n } },
    });
  });

  it.each([
    ['withdrawn', 'asha', 'A sha'],
    ['declined', 'asha', 'joseph'],
  ])(
    'is %s by a person without an event, and a new one can be made',
    async (outcome, one, other) => {
      const { resolve, confirm, decline, proposals } = fixture.operators();
      const key = await fixture.silent();
      const receipt = outcome === 'declined' ? 'DECLINED01' : 'WITHDRAWN1';
      await resolve(key, one, { decision: 'paid', payment: found(receipt) });
      const { id = '' } = (await proposals.findOpen(collectionStream(key))) ?? {};
      expect(await decline(key, other, 'another')).toEqual(refused('proposal_replaced'));
      expect(await decline(key, other, id)).toEqual({ ok: true, value: outcome });
      expect(await fixture.outcomesOf(key)).toEqual([outcome]);
      expect(await fixture.endsOf(key)).toEqual([[other, 'not so']]);
      expect(await fixture.typesOf(key)).toEqual([]);
      expect(await confirm(key, 'joseph', id)).toEqual(refused('no_proposal'));
      expect(await decline(key, other, id)).toEqual(refused('no_proposal'));
      // Its receipt is free again.
      await resolve(key, one, { decision: 'paid', payment: found(receipt) });
      expect(await confirm(key, 'joseph')).toMatchObject({ ok: true });
      expect(await fixture.outcomesOf(key)).toEqual([outcome, 'decided']);
    },
  );

  it('is never declined if it is confirmed in the log, whatever the record says', async () => {
    const { resolve, confirm, decline, proposals } = fixture.operators();
    const key = await fixture.silent();
    await resolve(key, 'asha', { decision: 'paid', payment: found('DECIDED001') });
    const { id = '' } = (await proposals.findOpen(collectionStream(key))) ?? {};
    proposals.deaths = 1;
    await expect(confirm(key, 'joseph')).rejects.toThrow('died');
    expect(await decline(key, 'wanjiru', id)).toEqual(refused('no_proposal'));
    expect(await fixture.outcomesOf(key)).toEqual(['decided']);
  });

  it('is recorded as decided if it was declined while it was confirmed', async () => {
    const { resolve, proposals } = fixture.operators();
    const key = await fixture.silent();
    await resolve(key, 'asha', { decision: 'paid', payment: found('BOTHATONCE') });
    const { id = '' } = (await proposals.findOpen(collectionStream(key))) ?? {};
    await proposals.decline(id, { outcome: 'declined', by: 'joseph' });
    await proposals.end(id, 'decided');
    expect(await fixture.outcomesOf(key)).toEqual(['decided']);
    expect(await fixture.endsOf(key)).toEqual([[null, null]]);
  });

  it('is recorded as decided if its confirmer died after the append, during a decline', async () => {
    const { resolve, confirm, decline, proposals } = fixture.operators();
    const key = await fixture.silent();
    await resolve(key, 'asha', { decision: 'paid', payment: found('DIEDDURING') });
    const { id = '' } = (await proposals.findOpen(collectionStream(key))) ?? {};
    const declined = proposals.decline.bind(proposals);
    proposals.decline = async (...end) => {
      proposals.deaths = 1;
      await expect(confirm(key, 'joseph')).rejects.toThrow('died');
      return declined(...end);
    };
    expect(await decline(key, 'wanjiru', id)).toEqual(refused('no_proposal'));
    expect(await fixture.outcomesOf(key)).toEqual(['decided']);
    expect(await fixture.endsOf(key)).toEqual([[null, null]]);
  });

  it('has the same end in the record as in the log, if it is confirmed and declined at once', async () => {
    const { resolve, confirm, decline, proposals } = fixture.operators();
    for (let round = 0; round < 8; round += 1) {
      const key = await fixture.silent();
      await resolve(key, 'asha', { decision: 'paid', payment: found(`ATONCE000${round}`) });
      const { id = '' } = (await proposals.findOpen(collectionStream(key))) ?? {};
      const [confirmed, declined] = await Promise.all([
        confirm(key, 'joseph', id),
        decline(key, 'wanjiru', id),
      ]);
      const isDecided = (await fixture.typesOf(key)).includes('ReviewDecided');
      expect([confirmed.ok, declined.ok]).toEqual([isDecided, !isDecided]);
      expect(await fixture.outcomesOf(key)).toEqual([isDecided ? 'decided' : 'declined']);
    }
  });

  it('is not declined while it is confirmed, and the log settles it if the confirmer dies after the append', async () => {
    const { resolve, confirm, decline, proposals } = fixture.operators();
    const key = await fixture.silent();
    await resolve(key, 'asha', { decision: 'paid', payment: found('CLAIMED001') });
    const { id = '' } = (await proposals.findOpen(collectionStream(key))) ?? {};
    const claim = proposals.claim.bind(proposals);
    proposals.claim = async (...claimed) => {
      const isOpen = await claim(...claimed);
      expect(await decline(key, 'wanjiru', id)).toEqual(refused('being_confirmed'));
      return isOpen;
    };
    proposals.deaths = 1;
    await expect(confirm(key, 'joseph')).rejects.toThrow('died');
    expect(await fixture.outcomesOf(key)).toEqual([null]);
    expect(await decline(key, 'wanjiru', id)).toEqual(refused('no_proposal'));
    expect(await fixture.outcomesOf(key)).toEqual(['decided']);
    expect(await fixture.typesOf(key)).toContain('ReviewDecided');
  });

  it('is not confirmed once it was declined, even if the confirmer had read it before', async () => {
    const { resolve, confirm, decline, proposals } = fixture.operators();
    const key = await fixture.silent();
    await resolve(key, 'asha', { decision: 'paid', payment: found('CLAIMED002') });
    const { id = '' } = (await proposals.findOpen(collectionStream(key))) ?? {};
    const claim = proposals.claim.bind(proposals);
    proposals.claim = async (...claimed) => {
      expect(await decline(key, 'wanjiru', id)).toEqual({ ok: true, value: 'declined' });
      return claim(...claimed);
    };
    expect(await confirm(key, 'joseph', id)).toEqual(refused('no_proposal'));
    expect(await fixture.outcomesOf(key)).toEqual(['declined']);
    expect(await fixture.typesOf(key)).toEqual([]);
  });

  it('is declined a minute after a confirmer claimed it and died before the append', async () => {
    const { resolve, decline, proposals } = fixture.operators();
    const key = await fixture.silent();
    await resolve(key, 'asha', { decision: 'paid', payment: found('CLAIMED003') });
    const { id = '' } = (await proposals.findOpen(collectionStream(key))) ?? {};
    expect(await proposals.claim(id, randomUUID())).toBe(true);
    expect(await decline(key, 'wanjiru', id)).toEqual(refused('being_confirmed'));
    await fixture.ageClaims(key, '30 seconds');
    expect(await decline(key, 'wanjiru', id)).toEqual(refused('being_confirmed'));
    await fixture.ageClaims(key, '40 seconds');
    expect(await decline(key, 'wanjiru', id)).toEqual({ ok: true, value: 'declined' });
    expect(await proposals.claim(id, randomUUID())).toBe(false);
  });

  it('is declined at once after a confirmation that found its receipt taken', async () => {
    const { resolve, confirm, decline, proposals, receipts } = fixture.operators();
    const key = await fixture.silent();
    await resolve(key, 'asha', { decision: 'paid', payment: found('CLAIMED004') });
    const { id = '' } = (await proposals.findOpen(collectionStream(key))) ?? {};
    receipts.users.set('CLAIMED004', 'another stream');
    expect(await confirm(key, 'joseph', id)).toEqual(refused('receipt_taken'));
    expect(await decline(key, 'wanjiru', id)).toEqual({ ok: true, value: 'declined' });
  });

  it('takes effect once, however many confirm it at once', async () => {
    const { resolve, confirm } = fixture.operators();
    const key = await fixture.silent();
    await resolve(key, 'asha', { decision: 'paid', payment: found('RACING0001') });
    const results = await Promise.all(['b', 'c', 'd', 'e'].map((who) => confirm(key, who)));
    expect(results.some(({ ok }) => ok)).toBe(true);
    expect(await fixture.typesOf(key)).toEqual(['ReviewDecided', 'RailConfirmed', 'WalletPosted']);
    expect(await fixture.outcomesOf(key)).toEqual(['decided']);
  });

  it('is replaced by a newer one, and can then no longer be confirmed itself', async () => {
    const { resolve, confirm } = fixture.operators();
    const key = await fixture.silent();
    const first = await resolve(key, 'asha', { decision: 'paid', payment: found('REPLACED01') });
    if (!first.ok || first.value.kind !== 'proposed') throw new Error('not proposed');
    await resolve(key, 'wanjiru', { decision: 'paid', payment: { ...found('REPLACED02') } });
    expect(await fixture.outcomesOf(key)).toEqual(['replaced', null]);
    const { id } = first.value.proposal;
    expect(await confirm(key, 'joseph', id)).toEqual({ ok: false, refusal: 'proposal_replaced' });
    expect(await confirm(key, 'wanjiru')).toEqual({ ok: false, refusal: 'same_operator' });
    expect(await confirm(key, 'asha')).toMatchObject({ ok: true });
  });

  it('has one open row per collection, even if several operators propose at once', async () => {
    const { resolve } = fixture.operators();
    const key = await fixture.silent();
    const propose = (number: number) =>
      resolve(key, `o${number}`, { decision: 'paid', payment: found(`ATONCE000${number}`) });
    const results = await Promise.all([1, 2, 3, 4, 5].map(propose));
    expect(results.every(({ ok }) => ok)).toBe(true);
    const outcomes = await fixture.outcomesOf(key);
    expect(outcomes.filter((outcome) => outcome === null)).toHaveLength(1);
    expect(outcomes.filter((outcome) => outcome === 'replaced')).toHaveLength(4);
  });

  it('gives way to a decision that needs no second operator', async () => {
    const { resolve, confirm } = fixture.operators();
    const key = await fixture.silent();
    await resolve(key, 'asha', { decision: 'paid', payment: found('GIVESWAY01') });
    expect(await resolve(key, 'wanjiru', { decision: 'failed' })).toMatchObject({
      ok: true,
      value: { kind: 'decided', view: { status: 'failed' } },
    });
    expect(await fixture.outcomesOf(key)).toEqual(['replaced']);
    expect(await confirm(key, 'joseph')).toEqual({ ok: false, refusal: 'no_proposal' });
  });
});

describe('the rail’s report while a proposal waits', () => {
  it.each([
    ['posts, and the proposal is overtaken', amountMinor, ['RailConfirmed', 'WalletPosted']],
    ['holds another amount in suspense', 9n, ['AmountMismatchRecorded', 'SuspensePosted']],
  ])('%s', async (_what, paidMinor, types) => {
    const { resolve, confirm } = fixture.operators();
    const key = await fixture.silent();
    await resolve(key, 'asha', { decision: 'paid', payment: found(`OVERTAKEN${paidMinor}`) });
    await fixture.railPays(key, paidMinor);
    expect(await confirm(key, 'joseph')).toEqual({ ok: false, refusal: 'overtaken' });
    expect(await fixture.typesOf(key)).toEqual(types);
    expect(await fixture.outcomesOf(key)).toEqual(['overtaken']);
  });
});

describe('money in suspense', () => {
  it('goes to the merchant less the fee by the terms of the moment of decision', async () => {
    const { resolve, confirm } = fixture.operators();
    const key = await fixture.silent();
    await fixture.railPays(key, 20_000n);
    await resolve(key, 'asha', { decision: 'suspense_to_merchant' });
    await confirm(key, 'joseph');
    const resolved = (await fixture.eventsOf(key)).at(-1);
    expect(resolved?.data).toMatchObject({
      receipt: 'FROMRAIL01',
      amountMinor: 20_000n,
      legs: [
        { account: 'suspense', amountMinor: -20_000n },
        { account: 'wallet:1001', amountMinor: 19_600n },
        { account: 'fees', amountMinor: 400n },
      ],
    });
  });
});

describe('a receipt', () => {
  it('is refused at the proposal and at the confirmation if another collection has it', async () => {
    const { resolve, confirm, receipts } = fixture.operators();
    const [key, other] = [await fixture.silent(), await fixture.silent()];
    const ruling: Ruling = { decision: 'paid', payment: found('TAKEN00001') };
    const taken = { ok: false, refusal: 'receipt_taken' };
    await resolve(key, 'asha', ruling);
    receipts.users.set('TAKEN00001', collectionStream(other));
    expect(await confirm(key, 'joseph')).toEqual(taken);
    expect(await resolve(key, 'asha', ruling)).toEqual(taken);
    expect(await fixture.typesOf(key)).toEqual([]);
    receipts.users.set('TAKEN00001', collectionStream(key));
    expect(await confirm(key, 'joseph')).toMatchObject({ ok: true });
  });

  it('is in one open proposal only, and is free again when that has ended', async () => {
    const { resolve } = fixture.operators();
    const [key, other] = [await fixture.silent(), await fixture.silent()];
    const ruling: Ruling = { decision: 'paid', payment: found('WANTED0001') };
    expect(await resolve(key, 'asha', ruling)).toMatchObject({ ok: true });
    const refused = await resolve(other, 'asha', ruling);
    expect(refused).toEqual({ ok: false, refusal: 'receipt_proposed' });
    await resolve(key, 'asha', { decision: 'failed' });
    expect(await resolve(other, 'asha', ruling)).toMatchObject({ ok: true });
  });
});

it('a receipt in a payout’s proposal is refused for a collection and stays with the payout', async () => {
  const { resolve, proposals } = fixture.operators();
  const key = await fixture.silent();
  const ruling: Ruling = { decision: 'paid', payment: found('OFPAYOUT01') };
  const stream = 'payout-demo:m-1:P-1';
  const id = '0193f9a2-7c3e-7a11-8a55-0c6f3a3b2d11';
  await proposals.open({ id, stream, ruling, reason: 'line 9', proposedBy: 'asha' });
  const refused = await resolve(key, 'asha', ruling);
  expect(refused).toEqual({ ok: false, refusal: 'receipt_proposed' });
  expect(await proposals.findOpen(stream)).toMatchObject({ id });
});

describe('a receipt in a proposal that the rail’s report has overtaken', () => {
  it('is free for the collection that it is about', async () => {
    const { resolve, confirm } = fixture.operators();
    const [key, other] = [await fixture.silent(), await fixture.silent()];
    const ruling: Ruling = { decision: 'paid', payment: found('STALE00001') };
    await resolve(key, 'asha', ruling);
    await fixture.railPays(key, amountMinor);
    expect(await resolve(other, 'asha', ruling)).toMatchObject({ ok: true });
    expect(await fixture.outcomesOf(key)).toEqual(['overtaken']);
    expect(await confirm(other, 'joseph')).toMatchObject({ ok: true });
  });

  it.each([
    ['overtaken', 'joseph', 'STALE00002'],
    ['same_operator', 'asha', 'STALE00003'],
  ])('is not claimed by a confirmation that is refused as %s', async (refusal, who, receipt) => {
    const { resolve, confirm } = fixture.operators();
    const [key, other] = [await fixture.silent(), await fixture.silent()];
    const ruling: Ruling = { decision: 'paid', payment: found(receipt) };
    await resolve(key, 'asha', ruling);
    if (refusal === 'overtaken') await fixture.railPays(key, amountMinor);
    expect(await confirm(key, who)).toEqual({ ok: false, refusal });
    if (refusal !== 'overtaken')
      await resolve(key, 'asha', { decision: 'paid', payment: found('STALE00004') });
    expect(await resolve(other, 'asha', ruling)).toMatchObject({ ok: true });
    expect(await confirm(other, 'joseph')).toMatchObject({ ok: true });
  });
});

describe('a collection that does not exist', () => {
  it('cannot be ruled on', async () => {
    const key = { mode: 'demo', merchantId: 'nobody', reference: 'NONE' } as const;
    const refusal = await fixture.operators().resolve(key, 'asha', { decision: 'failed' });
    expect(refusal).toEqual({ ok: false, refusal: 'unknown_collection' });
  });
});

describe('a confirmation that is frozen between its receipt check and its append', () => {
  const bearers = async (receipt: string, keys: readonly CollectionKey[]) => {
    const histories = await Promise.all(keys.map((key) => fixture.eventsOf(key)));
    return histories.filter((events) =>
      events.some(({ data }) => 'receipt' in data && data.receipt === receipt),
    ).length;
  };
  const freeze = async (receipt: string) => {
    const [frozenDesk, desk] = [fixture.operators(), fixture.operators()];
    const [key, other] = [await fixture.silent(), await fixture.silent()];
    const ruling: Ruling = { decision: 'paid', payment: found(receipt) };
    await desk.resolve(key, 'asha', ruling);
    let thaw: () => void = () => undefined;
    frozenDesk.receipts.frozen = new Promise((resolve) => (thaw = resolve));
    const frozen = frozenDesk.confirm(key, 'joseph');
    const isOnItsWay = (): boolean => frozenDesk.receipts.frozen !== undefined;
    while (isOnItsWay()) await new Promise((resolve) => setTimeout(resolve, 5));
    return {
      desk,
      key,
      other,
      ruling,
      frozen,
      thaw: () => {
        thaw();
      },
    };
  };

  it('keeps its receipt from others, though its proposal is replaced meanwhile', async () => {
    const { desk, key, other, ruling, frozen, thaw } = await freeze('FROZEN0001');
    await desk.resolve(key, 'asha', { decision: 'paid', payment: found('FROZEN0002') });
    await desk.resolve(other, 'asha', ruling);
    const taken = { ok: false, refusal: 'receipt_taken' };
    expect(await desk.confirm(other, 'wanjiru')).toEqual(taken);
    thaw();
    expect(await frozen).toMatchObject({ ok: true });
    expect(await bearers('FROZEN0001', [key, other])).toBe(1);
    desk.receipts.users.set('FROZEN0001', collectionStream(key));
    expect(await desk.confirm(other, 'wanjiru')).toEqual(taken);
  });

  it('finds its receipt gone if its collection was decided otherwise meanwhile', async () => {
    const { desk, key, other, ruling, frozen, thaw } = await freeze('FROZEN0003');
    await desk.resolve(key, 'asha', { decision: 'failed' });
    await desk.resolve(other, 'asha', ruling);
    expect(await desk.confirm(other, 'wanjiru')).toMatchObject({ ok: true });
    thaw();
    expect(await frozen).toEqual({ ok: false, refusal: 'no_proposal' });
    expect(await bearers('FROZEN0003', [key, other])).toBe(1);
  });
});

describe('a review that an operator opens before the service would', () => {
  const declined = {
    type: 'RailDeclined',
    data: { by: 'query', failureCode: 'cancelled' },
  } as const;

  it.each([
    ['pending', []],
    ['failed', [declined]],
  ] as const)(
    'for a %s collection is posted when another operator confirms',
    async (_s, history) => {
      const { open, confirm } = fixture.operators();
      const key = await fixture.begun(...history);
      const payment = found(`OPENED000${history.length}`);
      expect(await open(key, 'asha', payment)).toMatchObject({
        ok: true,
        value: { kind: 'proposed' },
      });
      expect(await open(key, 'asha', payment)).toMatchObject({ ok: true });
      expect(await confirm(key, 'asha')).toEqual({ ok: false, refusal: 'same_operator' });
      expect(await confirm(key, 'joseph')).toMatchObject({
        ok: true,
        value: { view: { status: 'completed' } },
      });
      const types = (await fixture.eventsOf(key)).map(({ type }) => type).slice(1 + history.length);
      expect(types).toEqual(['ReviewFlagged', 'ReviewDecided', 'RailConfirmed', 'WalletPosted']);
    },
  );

  it('is refused, and opens nothing, if the receipt is taken or the money is there already', async () => {
    const { open, receipts } = fixture.operators();
    const key = await fixture.begun();
    receipts.users.set('OPENED0009', 'collection-demo:m:other');
    const taken = { ok: false, refusal: 'receipt_taken' };
    expect(await open(key, 'asha', found('OPENED0009'))).toEqual(taken);
    await fixture.railPays(key, amountMinor);
    const no = { ok: false, refusal: 'not_possible' };
    expect(await open(key, 'asha', found('OPENED0008'))).toEqual(no);
    const types = (await fixture.eventsOf(key)).map(({ type }) => type);
    expect(types).not.toContain('ReviewFlagged');
  });
});
