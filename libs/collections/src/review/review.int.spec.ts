import { randomUUID } from 'node:crypto';
import { type CommandMetadata, Pipeline, type RecordedEvent } from '#event-sourcing';
import { type Mode } from '#kernel';
import { type Account, MerchantDirectory } from '#merchants';
import { findReviewProposals, RecordedReviewProposals } from '#postgres';
import { UuidIds } from '#runtime';
import { openStore, throwAwayDatabase, type ThrowAwayDatabase } from '#testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { collectionDecider } from '../collection.js';
import {
  type CollectionEvent,
  type CollectionKey,
  collectionStream,
} from '../collection.events.js';
import { decideConfirmCollection } from '../confirm/confirm-collection.decide.js';
import { ConfirmReview } from './confirm-review.command.js';
import { ConfirmReviewHandler } from './confirm-review.handler.js';
import { ResolveReview } from './resolve-review.command.js';
import { ResolveReviewHandler } from './resolve-review.handler.js';
import { type ProposalOutcome, ReviewProposals } from './review-proposals.js';
import { type Ruling } from './ruling.js';
import { UsedReceipts } from './used-receipts.js';

let server: ThrowAwayDatabase;
const store = openStore();
const pipeline = new Pipeline(store, new UuidIds());
beforeAll(async () => {
  server = await throwAwayDatabase();
});
afterAll(async () => {
  await store.dispose();
  await server.drop();
});

class Merchants extends MerchantDirectory {
  override findAccount(merchantId: string, mode: Mode, accountNo: string): Promise<Account> {
    const feeSchedule = { basisPoints: 200, flatMinor: 0n };
    return Promise.resolve({ merchantId, mode, accountNo, currency: 'KES', feeSchedule });
  }
}

/** The receipts that other collections have. */
class Receipts extends UsedReceipts {
  readonly users = new Map<string, string>();

  override streamsWith(_mode: Mode, receipt: string): Promise<readonly string[]> {
    const user = this.users.get(receipt);
    return Promise.resolve(user === undefined ? [] : [user]);
  }
}

/** The process dies between the decision and the proposal's end, as often as it is told. */
class Dying extends RecordedReviewProposals {
  deaths = 0;

  override end(id: string, outcome: ProposalOutcome): Promise<void> {
    if (this.deaths === 0) return super.end(id, outcome);
    this.deaths -= 1;
    return Promise.reject(new Error('the process died'));
  }
}

function operators() {
  const proposals: ReviewProposals & { deaths: number } = new Dying(server.database);
  const receipts = new Receipts();
  const resolving = new ResolveReviewHandler(pipeline, proposals, receipts);
  const confirming = new ConfirmReviewHandler(pipeline, proposals, receipts, new Merchants());
  const by = (id: string): CommandMetadata => ({
    correlationId: randomUUID(),
    actor: { kind: 'operator', id },
  });
  return {
    proposals,
    receipts,
    resolve: (key: CollectionKey, who: string, ruling: Ruling) =>
      resolving.execute(new ResolveReview(key, ruling, { ...by(who), reason: 'line 12' })),
    confirm: (key: CollectionKey, who: string, proposalId?: string) =>
      confirming.execute(new ConfirmReview(key, proposalId, by(who))),
  };
}

const amountMinor = 10_000n;
const found = (receipt = 'NLJ7RT61SV') => ({ receipt, amountMinor });
const railMetadata: CommandMetadata = {
  correlationId: 'spec',
  actor: { kind: 'rail', id: 'mpesa' },
  commitment: 'c0ffee',
};

/** A collection of which nothing was heard. */
async function silent(): Promise<CollectionKey> {
  const key = { mode: 'demo', merchantId: randomUUID(), reference: 'INV-1' } as const;
  const intent: CollectionEvent = {
    type: 'CollectionIntentRecorded',
    data: {
      ...key,
      accountNo: '1001',
      currency: 'KES',
      amountMinor,
      feeMinor: 150n,
      channel: 'mpesa',
      accountReference: 'ABCDEFGHJKMN',
      phoneHmac: 'h',
      phoneMasked: '2547*****678',
      origin: 'v4',
    },
  };
  const step = stepOf(key);
  await pipeline.begin(step, [
    intent,
    { type: 'ReviewFlagged', data: { why: 'no_word_from_rail' } },
  ]);
  return key;
}

const stepOf = (key: CollectionKey) => ({
  decider: collectionDecider,
  stream: collectionStream(key),
  metadata: railMetadata,
});

const railPays = (key: CollectionKey, paidMinor: bigint) =>
  pipeline.run(stepOf(key), (state) =>
    decideConfirmCollection(
      {
        by: 'query',
        railReference: 'ws_1',
        verdict: { kind: 'paid', resultCode: '0', receipt: 'FROMRAIL01', amountMinor: paidMinor },
      },
      state,
      undefined,
    ),
  );

const eventsOf = (key: CollectionKey): Promise<RecordedEvent<CollectionEvent>[]> =>
  store.readStream<CollectionEvent>(collectionStream(key));
const typesOf = async (key: CollectionKey): Promise<string[]> =>
  (await eventsOf(key)).map(({ type }) => type).slice(2);
const outcomesOf = async (key: CollectionKey): Promise<(string | null)[]> =>
  (await findReviewProposals(server.database, collectionStream(key))).map(({ outcome }) => outcome);

describe('a proposal', () => {
  it('changes nothing until another operator confirms it, and then names who and why for ever', async () => {
    const { resolve, confirm } = operators();
    const key = await silent();
    const proposed = await resolve(key, 'asha', { decision: 'paid', payment: found() });
    if (!proposed.ok || proposed.value.kind !== 'proposed') throw new Error('not proposed');
    expect(await typesOf(key)).toEqual([]);
    expect(await confirm(key, 'asha')).toEqual({ ok: false, refusal: 'same_operator' });
    expect(await confirm(key, 'joseph', proposed.value.proposal.id)).toMatchObject({
      ok: true,
      value: { view: { status: 'completed' } },
    });
    const [decided] = (await eventsOf(key)).slice(2);
    expect(decided).toMatchObject({
      type: 'ReviewDecided',
      data: { decision: 'paid', reason: 'line 12', proposedBy: 'asha', confirmedBy: 'joseph' },
      metadata: {
        actor: { kind: 'operator', id: 'joseph' },
        causationId: proposed.value.proposal.id,
        reason: 'line 12',
      },
    });
    expect(await outcomesOf(key)).toEqual(['decided']);
    expect(await confirm(key, 'joseph')).toEqual({ ok: false, refusal: 'no_proposal' });
  });

  it('comes back as it was put, the rail’s own time included', async () => {
    const { resolve, proposals } = operators();
    const key = await silent();
    const paidAt = '2026-11-19T06:15:31.000Z' as const;
    const ruling = { decision: 'paid', payment: { ...found('WITHTIME01'), paidAt } } as Ruling;
    const proposed = await resolve(key, 'asha', ruling);
    if (!proposed.ok || proposed.value.kind !== 'proposed') throw new Error('not proposed');
    const open = await proposals.findOpen(collectionStream(key));
    expect(open).toEqual(proposed.value.proposal);
    expect(open?.ruling).toEqual(ruling);
  });

  it('posts once where the process died before the proposal was ended', async () => {
    const { resolve, confirm, proposals } = operators();
    const key = await silent();
    await resolve(key, 'asha', { decision: 'paid', payment: found('DYING00001') });
    proposals.deaths = 1;
    await expect(confirm(key, 'joseph')).rejects.toThrow('died');
    expect(await outcomesOf(key)).toEqual([null]);
    expect(await confirm(key, 'joseph')).toMatchObject({ ok: true });
    expect(await typesOf(key)).toEqual(['ReviewDecided', 'RailConfirmed', 'WalletPosted']);
    expect(await outcomesOf(key)).toEqual(['decided']);
  });

  it('counts as decided, not replaced, where the process died and the next decision came', async () => {
    const { resolve, confirm, proposals } = operators();
    const key = await silent();
    await resolve(key, 'asha', {
      decision: 'paid',
      payment: { ...found('DYING00002'), amountMinor: 5n },
    });
    proposals.deaths = 1;
    await expect(confirm(key, 'joseph')).rejects.toThrow('died');
    await resolve(key, 'asha', { decision: 'suspense_to_merchant' });
    expect(await outcomesOf(key)).toEqual(['decided', null]);
    expect(await confirm(key, 'joseph')).toMatchObject({
      ok: true,
      value: { view: { status: 'completed', amountMinor: 5n } },
    });
  });

  it('takes effect once, however many confirm it at once', async () => {
    const { resolve, confirm } = operators();
    const key = await silent();
    await resolve(key, 'asha', { decision: 'paid', payment: found('RACING0001') });
    const results = await Promise.all(['b', 'c', 'd', 'e'].map((who) => confirm(key, who)));
    expect(results.some(({ ok }) => ok)).toBe(true);
    expect(await typesOf(key)).toEqual(['ReviewDecided', 'RailConfirmed', 'WalletPosted']);
    expect(await outcomesOf(key)).toEqual(['decided']);
  });

  it('is replaced by a newer one, and nobody confirms what they have not read', async () => {
    const { resolve, confirm } = operators();
    const key = await silent();
    const first = await resolve(key, 'asha', { decision: 'paid', payment: found('REPLACED01') });
    if (!first.ok || first.value.kind !== 'proposed') throw new Error('not proposed');
    await resolve(key, 'wanjiru', { decision: 'paid', payment: { ...found('REPLACED02') } });
    expect(await outcomesOf(key)).toEqual(['replaced', null]);
    const { id } = first.value.proposal;
    expect(await confirm(key, 'joseph', id)).toEqual({ ok: false, refusal: 'proposal_replaced' });
    expect(await confirm(key, 'wanjiru')).toEqual({ ok: false, refusal: 'same_operator' });
    expect(await confirm(key, 'asha')).toMatchObject({ ok: true });
  });

  it('has one open row per collection, whoever races to propose', async () => {
    const { resolve } = operators();
    const key = await silent();
    const propose = (number: number) =>
      resolve(key, `o${number}`, { decision: 'paid', payment: found(`ATONCE000${number}`) });
    const results = await Promise.all([1, 2, 3, 4, 5].map(propose));
    expect(results.every(({ ok }) => ok)).toBe(true);
    const outcomes = await outcomesOf(key);
    expect(outcomes.filter((outcome) => outcome === null)).toHaveLength(1);
    expect(outcomes.filter((outcome) => outcome === 'replaced')).toHaveLength(4);
  });

  it('gives way to a decision that needs no second operator', async () => {
    const { resolve, confirm } = operators();
    const key = await silent();
    await resolve(key, 'asha', { decision: 'paid', payment: found('GIVESWAY01') });
    expect(await resolve(key, 'wanjiru', { decision: 'failed' })).toMatchObject({
      ok: true,
      value: { kind: 'decided', view: { status: 'failed' } },
    });
    expect(await outcomesOf(key)).toEqual(['replaced']);
    expect(await confirm(key, 'joseph')).toEqual({ ok: false, refusal: 'no_proposal' });
  });
});

describe('the rail’s word while a proposal waits', () => {
  it.each([
    ['posts, and the proposal is overtaken', amountMinor, ['RailConfirmed', 'WalletPosted']],
    ['of another amount holds it in suspense', 9n, ['AmountMismatchRecorded', 'SuspensePosted']],
  ])('%s', async (_what, paidMinor, types) => {
    const { resolve, confirm } = operators();
    const key = await silent();
    await resolve(key, 'asha', { decision: 'paid', payment: found(`OVERTAKEN${paidMinor}`) });
    await railPays(key, paidMinor);
    expect(await confirm(key, 'joseph')).toEqual({ ok: false, refusal: 'overtaken' });
    expect(await typesOf(key)).toEqual(types);
    expect(await outcomesOf(key)).toEqual(['overtaken']);
  });
});

describe('money in suspense', () => {
  it('goes to the merchant less the fee by the terms of the moment of decision', async () => {
    const { resolve, confirm } = operators();
    const key = await silent();
    await railPays(key, 20_000n);
    await resolve(key, 'asha', { decision: 'suspense_to_merchant' });
    await confirm(key, 'joseph');
    const resolved = (await eventsOf(key)).at(-1);
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
  it('that another collection has is refused, when it is proposed and when it is confirmed', async () => {
    const { resolve, confirm, receipts } = operators();
    const [key, other] = [await silent(), await silent()];
    const ruling: Ruling = { decision: 'paid', payment: found('TAKEN00001') };
    const taken = { ok: false, refusal: 'receipt_taken' };
    await resolve(key, 'asha', ruling);
    receipts.users.set('TAKEN00001', collectionStream(other));
    expect(await confirm(key, 'joseph')).toEqual(taken);
    expect(await resolve(key, 'asha', ruling)).toEqual(taken);
    expect(await typesOf(key)).toEqual([]);
    receipts.users.set('TAKEN00001', collectionStream(key));
    expect(await confirm(key, 'joseph')).toMatchObject({ ok: true });
  });

  it('stands in one open proposal only, and is free again when that has ended', async () => {
    const { resolve } = operators();
    const [key, other] = [await silent(), await silent()];
    const ruling: Ruling = { decision: 'paid', payment: found('WANTED0001') };
    expect(await resolve(key, 'asha', ruling)).toMatchObject({ ok: true });
    const refused = await resolve(other, 'asha', ruling);
    expect(refused).toEqual({ ok: false, refusal: 'receipt_proposed' });
    await resolve(key, 'asha', { decision: 'failed' });
    expect(await resolve(other, 'asha', ruling)).toMatchObject({ ok: true });
  });
});

describe('a receipt in a proposal that the rail’s word has overtaken', () => {
  it('is free for the collection that it is about', async () => {
    const { resolve, confirm } = operators();
    const [key, other] = [await silent(), await silent()];
    const ruling: Ruling = { decision: 'paid', payment: found('STALE00001') };
    await resolve(key, 'asha', ruling);
    await railPays(key, amountMinor);
    expect(await resolve(other, 'asha', ruling)).toMatchObject({ ok: true });
    expect(await outcomesOf(key)).toEqual(['overtaken']);
    expect(await confirm(other, 'joseph')).toMatchObject({ ok: true });
  });
});

describe('a collection that does not exist', () => {
  it('cannot be ruled on', async () => {
    const key = { mode: 'demo', merchantId: 'nobody', reference: 'NONE' } as const;
    const refusal = await operators().resolve(key, 'asha', { decision: 'failed' });
    expect(refusal).toEqual({ ok: false, refusal: 'unknown_collection' });
  });
});
