import { describe, expect, it } from '@jest/globals';
import { type HeldRole } from '#domain/people';
import { firstPlace, modeAddresses, type Navigation, navigationOf } from './navigation.js';

const hrefs = ({ groups }: Navigation) =>
  groups.flatMap(({ places }) => places.map(({ href }) => href));
const owner: HeldRole = { role: 'owner', merchantId: 'm 1' };
const viewer: HeldRole = { role: 'viewer' };
const at = { merchantId: 'm 1', mode: 'demo' } as const;
const ofMerchant = '/portal/merchants/m%201/demo/days';

describe('the navigation', () => {
  it('shows operators the platform, and on a merchant’s page that merchant alone', () => {
    const platform = navigationOf({ roles: [viewer], merchant: undefined }, '/portal/status');
    expect(hrefs(platform)).toContain('/portal/status');
    expect(platform.merchant).toBeUndefined();
    const there = navigationOf({ roles: [viewer], merchant: at }, ofMerchant);
    expect(hrefs(there)).toContain('/portal/merchants/m%201/demo/transactions');
    expect(hrefs(there).filter((href) => !href.startsWith('/portal/merchants/m%201/'))).toEqual([]);
    expect(there.merchant?.isVisited).toBe(true);
  });

  it('keeps operators on the platform while they review an item of a merchant', () => {
    const target = '/portal/items/demo/m%201/collection/A-1';
    const navigation = navigationOf({ roles: [viewer], merchant: at }, target);
    expect(hrefs(navigation)).toContain('/portal/reviews');
    expect(navigation.merchant).toBeUndefined();
  });

  it('shows a merchant’s people their own merchant, wherever they are, and no page of the platform', () => {
    const navigation = navigationOf({ roles: [owner], merchant: undefined }, '/portal/sessions');
    expect(hrefs(navigation)).toContain('/portal/merchants/m%201/live/payouts');
    expect(
      hrefs(navigation).filter((href) => !href.startsWith('/portal/merchants/m%201/')),
    ).toEqual([]);
    expect(navigation.merchant?.isVisited).toBe(false);
  });

  it('leads to the viewer’s other merchants, but to no merchant that they have no role at', () => {
    const roles: HeldRole[] = [owner, { role: 'finance', merchantId: 'm2' }, viewer];
    const { merchant } = navigationOf({ roles, merchant: at }, ofMerchant);
    expect(merchant?.others).toEqual([
      { merchantId: 'm2', href: '/portal/merchants/m2/demo/home' },
    ]);
  });

  it('leads from each place to the same one in the other mode', () => {
    expect(modeAddresses(at, 'payouts')).toEqual([
      { mode: 'live', href: '/portal/merchants/m%201/live/payouts' },
      { mode: 'demo', href: '/portal/merchants/m%201/demo/payouts' },
    ]);
    expect(modeAddresses(at, undefined)[0]?.href).toBe('/portal/merchants/m%201/live/home');
  });

  it('begins in the mode that there is something to see of', () => {
    expect(firstPlace({ roles: [owner], firstMode: 'demo' })?.href).toMatch(
      /^\/portal\/merchants\/m%201\/demo/,
    );
    expect(firstPlace({ roles: [] })).toBeUndefined();
  });
});
