import { describe, expect, it } from '@jest/globals';
import { type HeldRole } from '#domain/people';
import { firstPlace, navigationOf } from './navigation.js';

const hrefs = (places: readonly { readonly href: string }[] = []) => places.map(({ href }) => href);
const owner: HeldRole = { role: 'owner', merchantId: 'm 1' };

describe('the navigation', () => {
  it('shows operators the platform, and a merchant where they look at one', () => {
    const roles: HeldRole[] = [{ role: 'viewer' }];
    const { places, merchant } = navigationOf({ roles, merchant: undefined });
    expect(hrefs(places)).toContain('/portal/status');
    expect(merchant).toBeUndefined();
    const at = { merchantId: 'm 1', mode: 'demo' } as const;
    const there = navigationOf({ roles, merchant: at }).merchant;
    expect(hrefs(there?.places)).toContain('/portal/merchants/m%201/demo/transactions');
    expect(there?.other.href).toBe('/portal/merchants/m%201/live/transactions');
  });

  it('shows a merchant’s people their own merchant, wherever they are, and nothing of the platform', () => {
    const { places, merchant } = navigationOf({ roles: [owner], merchant: undefined });
    expect(places).toEqual([]);
    expect(hrefs(merchant?.places)).toContain('/portal/merchants/m%201/live/payouts');
  });

  it('begins in the mode that there is something to see of', () => {
    expect(firstPlace({ roles: [owner], firstMode: 'demo' })?.href).toMatch(
      /^\/portal\/merchants\/m%201\/demo/,
    );
    expect(firstPlace({ roles: [] })).toBeUndefined();
  });
});
