import { describe, expect, it } from '@jest/globals';
import {
  type Action,
  type HeldRole,
  merchantRoles,
  needsStepUp,
  operatorRoles,
  permissions,
  permits,
} from './permissions.js';

const actions = Object.keys(permissions) as Action[];

describe('the permissions of a role', () => {
  it('are empty without a role', () => {
    expect(actions.filter((action) => permits([], action, 'm1'))).toEqual([]);
  });

  it('apply only at the merchant of the role', () => {
    for (const role of merchantRoles) {
      const held: HeldRole[] = [{ role, merchantId: 'm1' }];
      expect(actions.filter((action) => permits(held, action, 'm2'))).toEqual([]);
      expect(actions.filter((action) => permits(held, action))).toEqual([]);
      expect(actions.filter((action) => permits(held, action, 'm1'))).not.toEqual([]);
    }
  });

  it('allow a viewer only actions that change nothing', () => {
    const allowed = actions.filter((action) => permits([{ role: 'viewer' }], action, 'm1'));
    expect(allowed.every((action) => /\.(see|list|find)$/.test(action))).toBe(true);
  });

  it('let no operator request a merchant’s payout, and only finance and admins approve one', () => {
    const may = (action: Action) =>
      operatorRoles.filter((role) => permits([{ role }], action, 'm1'));
    expect(may('payouts.request')).toEqual([]);
    expect(may('payouts.approve')).toEqual(['finance', 'admin']);
  });

  it('let a merchant’s owner request access and an admin decide, never the other way round', () => {
    for (const action of ['access.ask', 'access.withdraw'] as const) {
      expect(operatorRoles.filter((role) => permits([{ role }], action, 'm1'))).toEqual([]);
      expect(
        merchantRoles.filter((role) => permits([{ role, merchantId: 'm1' }], action, 'm1')),
      ).toEqual(['owner']);
    }
    const admins = operatorRoles.filter((role) => permits([{ role }], 'access.decide'));
    expect(admins).toEqual(['admin']);
    for (const role of merchantRoles)
      expect(permits([{ role, merchantId: 'm1' }], 'access.decide', 'm1')).toBe(false);
  });

  it('require fresh proof of presence for decisions about money, access or evidence, and nothing else', () => {
    expect(actions.filter(needsStepUp)).toEqual([
      // Opening a review proposes that a payment is posted, so it is one of two decisions about money.
      ...['reviews.open', 'reviews.decide', 'corrections.decide'],
      ...['proposals.decide', 'roles.decide', 'access.decide', 'sessions.end', 'evidence.open'],
      ...['payouts.approve', 'payouts.resume', 'keys.change', 'access.ask', 'webhooks.change'],
      'terms.change',
    ]);
  });
});
