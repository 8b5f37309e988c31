import { describe, expect, it } from '@jest/globals';
import { findings, type FindingName } from './finding.js';
import { type HeldSince, isSettledSince } from './settled-since.js';

const nothing: HeldSince = {
  receipts: new Set(),
  states: new Map(),
  corrected: new Set(),
  shownElsewhere: new Set(),
};
const everything: HeldSince = {
  receipts: new Set(['R']),
  states: new Map([['s', 'settled']]),
  corrected: new Set(['s']),
  shownElsewhere: new Set(['s']),
};
const open = (finding: FindingName) => ({ finding, receipt: 'R', stream: 's', amountMinor: 1n });
const names = Object.keys(findings) as FindingName[];

describe('a finding that a day left open', () => {
  it.each(names)('%s stays open as long as the ledger has nothing more', (name) => {
    expect(isSettledSince(open(name), nothing)).toBe(false);
  });

  it('is settled by what its kind needs, except a payment that the statement shows twice', () => {
    const settled = names.filter((name) => isSettledSince(open(name), everything));
    const isOpen = (name: FindingName): boolean => findings[name].isOpen;
    expect(settled).toEqual(names.filter((name) => isOpen(name) && name !== 'duplicate_there'));
  });

  it.each(['pending', 'held'] as const)('in suspense stays open while its item is %s', (state) => {
    const held = { ...nothing, states: new Map([['s', state]]) };
    expect(isSettledSince(open('in_suspense'), held)).toBe(false);
  });

  it('stays open if the line’s receipt is not posted, regardless of its item’s state', () => {
    const held = { ...everything, receipts: new Set(['OTHER']) };
    expect(isSettledSince(open('missing_here'), held)).toBe(false);
  });
});
