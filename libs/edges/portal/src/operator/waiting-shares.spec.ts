import { type HeldRole } from '#domain/people';
import { describe, expect, it } from '@jest/globals';
import { type Viewer } from '../access/viewer.js';
import { sharesOf, type Waiting } from './waiting-shares.js';

const issuer = 'https://id.example';
const at = new Date('2026-11-20T10:00:00.000Z');
const later = new Date('2026-11-20T11:00:00.000Z');
/** Amina proposed a review and a limit, and Joseph a role. A merchant's payout and a request wait as well. */
const waiting = {
  reviews: [{ proposedBy: `${issuer}#amina`, proposedAt: later }],
  corrections: [],
  payouts: [{ merchantId: 'm-1', since: later }],
  batches: [],
  changes: [
    { proposedBy: `${issuer}#amina`, proposedAt: at },
    { proposedBy: `${issuer}#joseph`, proposedAt: at },
  ],
  requests: [{ merchantId: 'm-1', askedBy: `${issuer}#owner`, askedAt: later }],
  unknown: [],
  more: false,
} as unknown as Waiting;

function viewerOf(subject: string, held: HeldRole): Viewer {
  return { person: { issuer, subject }, roles: [held] } as unknown as Viewer;
}

describe('the share of a person in what waits', () => {
  it.each<[string, string, HeldRole, number]>([
    [
      'finance decides payouts and the review of another, but no change',
      'joseph',
      { role: 'finance' },
      2,
    ],
    ['the proposer of a review does not decide it', 'amina', { role: 'finance' }, 1],
    ['an admin decides what others proposed', 'joseph', { role: 'admin' }, 4],
    ['an admin decides no own proposal', 'amina', { role: 'admin' }, 3],
    ['support decides nothing', 'wanjiru', { role: 'support' }, 0],
    ['a merchant’s owner decides its payouts', 'owner', { role: 'owner', merchantId: 'm-1' }, 1],
  ])('%s', (_name, subject, held, own) => {
    const shares = sharesOf(waiting, viewerOf(subject, held));
    expect([shares.own, shares.own + shares.others]).toEqual([own, 5]);
  });

  it('has the age of the oldest one only of those that the person may decide', () => {
    expect(sharesOf(waiting, viewerOf('joseph', { role: 'finance' })).oldest).toEqual(later);
    expect(sharesOf(waiting, viewerOf('joseph', { role: 'admin' })).oldest).toEqual(at);
    expect(sharesOf(waiting, viewerOf('wanjiru', { role: 'support' })).oldest).toBeUndefined();
  });
});
