import { describe, expect, it } from '@jest/globals';
import { type Collection } from '#domain/collections';
import { instantFromMs } from '#domain/kernel';
import { type PayoutRequest, type RefundRail } from '#domain/payouts';
import { type Html } from '#shared/html';
import { type TransactionItem } from '#views/transactions';
import { type Viewer } from '../../access/viewer.js';
import { type Place } from '../place.js';
import { merchantTexts } from '../texts-of.js';
import { type TimedStep } from '../transactions/timeline.js';
import { statusBadges } from '../transactions/transactions-table.js';
import { refundAction, refundFacts } from './item-refunds.js';
import { firstReference, type Refundable, RefundForms } from './refund-forms.js';
import { type RefundModel, refundPage, untyped } from './refund-page.js';
import { refundsOf } from './refunds-of.js';
import { fieldOf, type TypedRefund } from './typed-refund.js';

const viewer: Viewer = {
  person: { issuer: 'https://id.example', subject: 'asha' },
  name: 'Asha',
  language: 'en',
  formToken: 'the-token',
  sessionHash: Buffer.alloc(32),
  roles: [{ role: 'finance', merchantId: 'm-1' }],
  merchant: { merchantId: 'm-1', mode: 'live' },
};
const texts = merchantTexts(viewer);
const place: Place = {
  merchantId: 'm-1',
  mode: 'live',
  name: 'Duka la Amina',
  timezone: 'Africa/Nairobi',
  accounts: [{ accountNo: '100000001', currency: 'KES', channels: ['mpesa'] }],
  base: '/portal/merchants/m-1/live',
};
const at = instantFromMs(Date.UTC(2026, 10, 21, 22, 30));
const item: TransactionItem = {
  type: 'collection',
  reference: 'INV-1',
  status: 'completed',
  currency: 'KES',
  amount_minor: 10_000n,
  fee_minor: 150n,
  id: '01a1fbba-5634-76de-a5c4-550311b90a35',
  account_no: '100000001',
  channel: 'mpesa',
  rail_reference: 'ws_CO_1',
  receipt: 'TKL33D3MJ7',
  failure_code: null,
  under_review: false,
  created_at: at,
  completed_at: at,
  paid_at: at,
  paid_at_known: true,
};

type RefundStep = 'refund_asked' | 'refund_ended' | 'refund_paid';
const step = (kind: RefundStep, payout: string, amountMinor: bigint): TimedStep => ({
  at,
  step: { kind, payout, amountMinor },
});

describe('the action Refund', () => {
  const actionOf = (over: Partial<TransactionItem>, steps: readonly TimedStep[] = []) =>
    refundAction({ place, item: { ...item, ...over }, steps }, { viewer, texts })?.text;

  it('leads from a completed collection to its form', () => {
    expect(actionOf({})).toContain(`href="${place.base}/items/collection/INV-1/refund"`);
    for (const over of [
      { status: 'pending' },
      { status: 'failed' },
      { under_review: true },
      { type: 'payout' },
    ] as const)
      expect(actionOf(over)).toBeUndefined();
  });

  it('stays while a part of the payment is left, and returns if a refund ends without a payment', () => {
    const whole = step('refund_asked', 'R-1', 10_000n);
    expect(actionOf({}, [step('refund_asked', 'R-1', 9_999n)])).toBeDefined();
    expect(actionOf({}, [whole])).toBeUndefined();
    expect(actionOf({}, [whole, step('refund_paid', 'R-1', 10_000n)])).toBeUndefined();
    expect(actionOf({}, [whole, step('refund_ended', 'R-1', 10_000n)])).toBeDefined();
  });

  it.each([
    ['finance', 'm-1', true],
    ['owner', 'm-1', true],
    ['developer', 'm-1', false],
    ['finance', 'm-2', false],
    ['finance', undefined, false],
  ] as const)('is for %s of %s: %s', (role, merchantId, isShown) => {
    const held = merchantId === undefined ? { role: 'finance' as const } : { role, merchantId };
    const roles: Viewer['roles'] = [held];
    const action = refundAction(
      { place, item, steps: [] },
      { viewer: { ...viewer, roles }, texts },
    );
    expect(action !== undefined).toBe(isShown);
  });
});

describe('the page of a refunded collection', () => {
  const steps = [
    step('refund_asked', 'R-1', 4_000n),
    step('refund_asked', 'R-2', 1_000n),
    step('refund_paid', 'R-1', 4_000n),
    step('refund_ended', 'R-2', 1_000n),
    step('refund_asked', 'R-3', 500n),
  ];

  it('has each refund with its latest state and a link, and the refunded sum', () => {
    expect(refundsOf(steps).map(({ reference, state }) => [reference, state])).toEqual([
      ['R-1', 'paid'],
      ['R-2', 'released'],
      ['R-3', 'open'],
    ]);
    const facts = refundFacts({ place, item: { ...item, refunded_minor: 4_000n }, steps }, texts);
    const shown = new Map(facts.map(([name, value]) => [name, value?.text]));
    expect(shown.get('Refunded')).toContain('KES 40.00');
    for (const reference of ['R-1', 'R-2', 'R-3'])
      expect(shown.get('Refunds')).toContain(`href="${place.base}/items/payout/${reference}"`);
    expect(shown.get('Refunds')).toMatch(
      /R-1[^]*Refunded[^]*R-2[^]*Not refunded[^]*R-3[^]*Pending/,
    );
  });

  it('has no row about refunds without one', () => {
    const facts = refundFacts({ place, item, steps: [] }, texts);
    expect(facts.filter(([, value]) => value !== undefined)).toEqual([]);
  });

  it('is linked from the refund’s own page', () => {
    const refund = { ...item, type: 'payout', reference: 'R-1', refund_of: 'INV-1' } as const;
    const facts = refundFacts({ place, item: refund, steps: [] }, texts);
    const [, link] = facts.find(([name]) => name === 'Refund of') ?? [];
    expect(link?.text).toContain(`href="${place.base}/items/collection/INV-1"`);
  });

  it.each([
    ['pending', 'Refund pending'],
    ['partial', 'Partly refunded'],
    ['refunded', 'Refunded'],
  ] as const)('has a mark beside its status, as its row has: %s', (refund_status, mark) => {
    expect(statusBadges({ ...item, refund_status }, texts).text).toMatch(
      new RegExp(`Completed</span>[^]*> ${mark}</span>`),
    );
    expect(statusBadges(item, texts).text).not.toContain(mark);
  });
});

const rail: RefundRail = {
  limits: { maxMinor: 25_000_000n, stepMinor: 100n, currencies: ['KES'] },
  reverses: true,
};
const intent = {
  merchantId: 'm-1',
  mode: 'live',
  reference: 'INV-1',
  currency: 'KES',
  accountNo: '100000001',
  channel: 'mpesa',
  phoneHmac: 'hmac of 254712345678',
  phoneMasked: '2547*****678',
};
const completed = {
  status: 'completed',
  underReview: false,
  postedMinor: 10_000n,
  payment: { receipt: 'TKL33D3MJ7' },
  refunds: { byPayout: new Map(), openMinor: 0n, refundedMinor: 0n },
  intent,
};
const { phoneHmac: _hmac, phoneMasked: _masked, ...hidden } = intent;
const partly = {
  ...completed,
  refunds: {
    byPayout: new Map([['R-1', { amountMinor: 4_000n, status: 'paid' }]]),
    openMinor: 0n,
    refundedMinor: 4_000n,
  },
};

function formsWith(state: object, reverses = true, hasRail = true): RefundForms {
  return new RefundForms(
    { execute: () => Promise.resolve({ state: state as Collection }) } as never,
    { payoutLimits: () => (hasRail ? rail.limits : undefined), reverses: () => reverses } as never,
    { tracesOf: (phone: string) => ({ phoneHmac: `hmac of ${phone}`, phoneMasked: '' }) } as never,
    { holderOf: () => Promise.resolve('asha') } as never,
  );
}

async function refundable(state: object, reverses = true): Promise<Refundable> {
  const found = await formsWith(state, reverses).find(place, 'INV-1');
  if (!found || 'problem' in found) throw new TypeError(found?.problem ?? 'unknown');
  return found;
}

describe('a collection', () => {
  it.each([
    ['reversed as a whole or sent in part', completed, true, [true, true]],
    ['only sent if the rail does not reverse', completed, false, [false, true]],
    ['only sent once a part was refunded', partly, true, [false, true]],
    ['only sent without a receipt', { ...completed, payment: {} }, true, [false, true]],
    [
      'only reversed if its number is hidden',
      { ...completed, intent: hidden },
      true,
      [true, false],
    ],
  ])('is %s', async (_name, state, reverses, ways) => {
    const { isReversible, isPayable } = await refundable(state, reverses);
    expect([isReversible, isPayable]).toEqual(ways);
  });

  it.each([
    ['pending', { status: 'pending' }, true, 'not_refundable'],
    ['under review', { ...completed, underReview: true }, true, 'not_refundable'],
    ['refunded as a whole', { ...completed, postedMinor: 0n }, true, 'not_refundable'],
    [
      'not reversed by the rail and its number is hidden',
      { ...completed, intent: hidden },
      false,
      'only_whole',
    ],
  ])('has no form if it is %s', async (_name, state, reverses, problem) => {
    expect(await formsWith(state, reverses).find(place, 'INV-1')).toEqual({ problem });
  });

  it('has no form in a mode without a rail, and is unknown without events', async () => {
    expect(await formsWith(completed, true, false).find(place, 'INV-1')).toEqual({
      problem: 'no_rail',
    });
    expect(await formsWith({ status: 'none' }).find(place, 'INV-1')).toBeUndefined();
  });
});

describe('the form of a refund', () => {
  const textOf = async (
    state: object,
    reverses = true,
    over: Partial<RefundModel> = {},
  ): Promise<string> => {
    const found = await refundable(state, reverses);
    const typed = untyped(found, firstReference(found.collection));
    const model = { place, found, typed, availableMinor: 900_000n, ...over };
    const page: Html = refundPage(model, { viewer, texts });
    return page.text;
  };

  it('offers the whole payment first, and asks for a number only for a part', async () => {
    const text = await textOf(completed);
    expect(text).toMatch(/value="whole"\s+checked/);
    expect(text).toContain('Whole payment, KES 100.00');
    const [, part = ''] = text.split('class="with"');
    expect(part).toMatch(/name="amount"[^]*name="phone"/);
    // A browser would demand a hidden field.
    expect(part.split('</fieldset>')[0]).not.toContain('required');
    expect(text).toContain('value="refund-INV-1"');
  });

  it('asks for no number if the payment can only be reversed', async () => {
    const text = await textOf({ ...completed, intent: hidden });
    expect(text).toContain('name="how" value="whole"');
    expect(text).not.toContain('name="phone"');
    expect(text).not.toContain('name="amount"');
  });

  it('has all that is left and asks for the number if the rail cannot reverse', async () => {
    const text = await textOf(partly);
    expect(text).toMatch(/value="60.00"\s+id="amount"/);
    expect(text).toContain('Up to KES 60.00 can be refunded');
    expect(text).toContain('2547*****678');
    expect(text).not.toContain('type="radio"');
    expect(text).toContain('value="refund-INV-1-2"');
  });

  it('shows the way back and the balance after, and sends exactly what it shows', async () => {
    const typed = { how: 'part', amount: '40', phone: '0712345678', reference: 'R-9' };
    const checked = { amountMinor: 4_000n, isReversed: false };
    const text = await textOf(completed, true, { typed, checked });
    const [form = '', summary = ''] = text.split('class="card summary"');
    expect(form).toContain(`action="${place.base}/items/collection/INV-1/refund/check"`);
    expect(form).not.toContain(`action="${place.base}/items/collection/INV-1/refund"`);
    expect(summary).toContain(`action="${place.base}/items/collection/INV-1/refund"`);
    for (const [name, value] of Object.entries(typed))
      expect(summary).toContain(`<input type="hidden" name="${name}" value="${value}" />`);
    for (const shown of ['KES 40.00', 'KES 60.00', 'KES 8,960.00', '0712345678'])
      expect(summary).toContain(shown);
    expect(summary).toContain(texts.refunds.ways.sent);
    expect(summary).not.toContain(texts.refunds.short);
    expect(text.match(/<button>/g)).toHaveLength(1);
    const poor = await textOf(completed, true, { typed, checked, availableMinor: 3_999n });
    expect(poor).toContain(texts.refunds.short);
    const reversed = { amountMinor: 10_000n, isReversed: true };
    const whole = { ...typed, phone: '' };
    expect(await textOf(completed, true, { typed: whole, checked: reversed })).toMatch(
      new RegExp(`2547\\*{5}678[^]*${texts.refunds.ways.reversed}`),
    );
  });

  it('has an error at the field that it is about, whole refunds at the choice', async () => {
    expect(fieldOf('phone_differs', true)).toBe('phone');
    expect(fieldOf('reference_taken', true)).toBe('reference');
    expect(fieldOf('insufficient_funds', true)).toBe('how');
    expect(fieldOf('insufficient_funds', false)).toBe('amount');
    for (const state of [completed, { ...completed, intent: hidden }]) {
      const text = await textOf(state, true, { wrong: { field: 'how', text: 'too much' } });
      expect(text).toContain('href="#how"');
      expect(text).toContain('id="how"');
      expect(text).toContain('<p class="wrong">too much</p>');
    }
  });
});

describe('a typed refund', () => {
  const forms = formsWith(completed);
  const of = (over: Partial<TypedRefund>): TypedRefund => ({
    how: 'part',
    amount: '40',
    phone: '0712 345 678',
    reference: 'R-9',
    ...over,
  });
  const read = (over: Partial<TypedRefund>) => forms.read(of(over), 'INV-1', { viewer, place });
  const details = async (over: Partial<TypedRefund>) => {
    const asked = await read(over);
    if ('problem' in asked) throw new TypeError(asked.problem);
    return asked;
  };

  it('is requested under the person’s holder, with the number only if one was typed', async () => {
    const whole = {
      merchantId: 'm-1',
      mode: 'live',
      collection: 'INV-1',
      reference: 'R-9',
      holder: 'asha',
      amountMinor: 4_000n,
    };
    expect(await read({})).toEqual({ ...whole, phone: '254712345678' });
    expect(await read({ phone: '' })).toEqual(whole);
  });

  it.each([
    [{ amount: '' }, 'amount'],
    [{ amount: '0' }, 'amount'],
    [{ amount: '12,5' }, 'amount'],
    [{ phone: '12' }, 'phone'],
    [{ reference: '~' }, 'reference'],
  ])('%j has the error %s', async (over, problem) => {
    expect(await read(over)).toEqual({ problem });
  });

  it.each([
    [{}, undefined],
    [{ amount: '100', phone: '' }, undefined],
    [{ phone: '' }, 'phone_needed'],
    [{ phone: '0712345679' }, 'phone_differs'],
    [{ reference: 'for-0712345678' }, 'phone_in_reference'],
    [{ amount: '100', phone: '', reference: 'for-0712345678' }, 'phone_in_reference'],
    [{ amount: '100.01' }, 'exceeds'],
    [{ amount: '40.50' }, 'invalid_amount'],
  ])('%j is checked as the command decides: %s', async (over, refusal) => {
    const preview = forms.preview(await details(over), await refundable(completed));
    expect(preview.ok ? undefined : preview.refusal).toBe(refusal);
  });

  it('is the refund that has its reference only with the same collection, amount and number', async () => {
    const existing = {
      amountMinor: 4_000n,
      phoneHmac: 'hmac of 254712345678',
      refund: { reference: 'INV-1' },
    } as PayoutRequest;
    expect(forms.isSame(await details({}), existing)).toBe(true);
    expect(forms.isSame(await details({ amount: '41' }), existing)).toBe(false);
    expect(forms.isSame(await details({ phone: '0712345679' }), existing)).toBe(false);
    expect(forms.isSame(await details({}), { ...existing, refund: { reference: 'INV-2' } })).toBe(
      false,
    );
  });

  it('begins with a generated reference if the collection’s is too long, reserved or contains a phone number', () => {
    const long = { ...completed, intent: { ...intent, reference: 'x'.repeat(64) } };
    const retried = { ...completed, intent: { ...intent, reference: 'INV-1~2' } };
    const numbered = { ...completed, intent: { ...intent, reference: 'for-0712345678' } };
    for (const state of [long, retried, numbered])
      expect(firstReference(state as unknown as Refundable['collection'])).toMatch(
        /^refund-[a-z0-9]{12}$/,
      );
  });
});
