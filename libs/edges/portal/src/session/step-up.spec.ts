import { describe, expect, it } from '@jest/globals';
import { type PendingForm, type PendingForms } from '#records/people';
import { RawBody } from '#shared/http';
import { type FastifyRequest } from 'fastify';
import { type Viewer } from '../access/viewer.js';
import { StepUp } from './step-up.js';
import { stepUpPage } from './step-up-page.js';

const target = '/portal/merchants/m/live/payouts/approve';
const request = (): FastifyRequest =>
  ({
    raw: { url: target },
    url: target,
    originalUrl: target,
    body: new RawBody(Buffer.from('reference=P-1'), 'application/x-www-form-urlencoded'),
  }) as unknown as FastifyRequest;

const payment = {
  amount: 'KES 25,000.00',
  to: '2547*****678 (ends in 678)',
  merchant: 'Duka la Amina',
  mode: 'live',
} as const;
const description = {
  title: 'Approve this payout',
  verb: 'approve',
  rows: [['Fee', 'KES 0.00']],
  payment,
  details: [['Reference', 'P-1']],
} as const;

describe('the confirmation of money out', () => {
  const viewer = { language: 'en', formToken: 'token', roles: [] } as unknown as Viewer;
  const held: PendingForm = {
    action: 'payouts.approve',
    target,
    digest: Buffer.alloc(32),
    mediaType: undefined,
    bytes: Buffer.alloc(0),
    description,
  };
  const pageOf = (form: PendingForm, isProved: boolean): string =>
    stepUpPage(viewer, { id: 'held-1', form, isProved, wasNotAnew: false }).content.text;

  it('names the amount, the receiver, the merchant and the mode in words', () => {
    const page = pageOf(held, false);
    expect(page).toContain('<p class="amount">KES 25,000.00</p>');
    expect(page).toContain('2547*****678 (ends in 678)');
    expect(page).toContain('Duka la Amina');
    expect(page).toContain('Live: real money');
    expect(page).toContain('Verify and approve');
    const demo = pageOf(
      { ...held, description: { ...description, payment: { ...payment, mode: 'demo' } } },
      false,
    );
    expect(demo).toContain('Demo: no real money');
    expect(demo).not.toContain('Live');
  });

  it.each([
    ['approve', 'Approve now'],
    ['reject', 'Reject now'],
  ] as const)('says on its button what a proved form does: %s', (verb, button) => {
    const form = { ...held, description: { ...description, verb } };
    expect(pageOf(form, false)).not.toContain(`>${button}</button>`);
    expect(pageOf(form, true)).toContain(`>${button}</button>`);
  });

  it.each([
    ['propose', 'Verify and propose', 'Propose now'],
    ['confirm', 'Verify and confirm', 'Confirm now'],
    ['withdraw', 'Verify and withdraw', 'Withdraw now'],
    ['decide', 'Verify and decide', 'Decide now'],
  ] as const)('names a step of a decision that takes two people: %s', (verb, before, after) => {
    const form: PendingForm = { ...held, description: { title: 'Decide', rows: [], verb } };
    expect(pageOf(form, false)).toContain(before);
    expect(pageOf(form, true)).toContain(`>${after}</button>`);
  });

  it('has one button that is not Cancel, before and after the proof', () => {
    for (const isProved of [false, true]) {
      const page = pageOf(held, isProved);
      const buttons = page.match(/<button|class="button(?: secondary)?"/g) ?? [];
      expect(buttons.filter((each) => !each.includes('secondary'))).toHaveLength(1);
    }
  });
});

describe('a held form', () => {
  it.each([
    ['amount', { payment: { ...payment, amount: 'KES 2.00' } }],
    ['to', { payment: { ...payment, to: '2547*****111 (ends in 111)' } }],
    ['merchant', { payment: { ...payment, merchant: 'Duka la Baraka' } }],
    ['mode', { payment: { ...payment, mode: 'demo' } }],
    ['verb', { verb: 'reject' }],
    ['details', { details: [['Reference', 'P-2']] }],
  ] as const)(
    'is not carried out if its page differs from the proved one: %s',
    async (_, other) => {
      let stored: PendingForm | undefined;
      const forms = {
        hold: (_key: unknown, form: PendingForm) => {
          stored = form;
          return Promise.resolve();
        },
        take: () => Promise.resolve(stored),
      } as unknown as PendingForms;
      const stepUp = new StepUp(forms);
      const session = Buffer.alloc(32);
      const id = await stepUp.hold(request(), session, { action: 'payouts.approve', description });
      expect(await stepUp.carryOut(request(), id, session)).toEqual(description);
      if (!stored) throw new Error('no form is held');
      stored = {
        ...stored,
        description: { ...description, ...other },
      };
      expect(await stepUp.carryOut(request(), id, session)).toBeUndefined();
    },
  );

  it('shows the balance after as information, and is carried out though the balance changed since', async () => {
    let stored: PendingForm | undefined;
    const forms = {
      hold: (_key: unknown, form: PendingForm) => {
        stored = form;
        return Promise.resolve();
      },
      take: () => Promise.resolve(stored),
    } as unknown as PendingForms;
    const stepUp = new StepUp(forms);
    const session = Buffer.alloc(32);
    const of = (balance: string) => ({
      ...description,
      unbound: [['Available after', balance]] as const,
    });
    const held = { action: 'payouts.approve', description: of('KES 75,000.00') } as const;
    const id = await stepUp.hold(request(), session, held);
    if (!stored) throw new Error('no form is held');
    const viewer = { language: 'en', formToken: 'token', roles: [] } as unknown as Viewer;
    const shown = stepUpPage(viewer, { id, form: stored, isProved: false, wasNotAnew: false });
    expect(shown.content.text).toContain('KES 75,000.00');
    stored = { ...stored, description: of('KES 1.00') };
    expect(await stepUp.carryOut(request(), id, session)).toMatchObject(description);
  });
});
