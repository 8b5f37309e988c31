import { describe, expect, it } from '@jest/globals';
import { sectionBits } from '#views/balances';
import {
  SectionComparison,
  type SectionRow,
  sectionDigest,
  type SectionSums,
} from './ledger-sections.js';

const account = 'demo\tKES\twallet:1000000001';
const startOf = (section: bigint) => section << sectionBits;

/** A credit of 10 in each of these sections, and the rows that the views then hold. */
const sections = [0n, 1n, 5n];
const rowsOf = (credits: bigint): SectionRow[] => {
  const sums: SectionSums = { credits, debits: 0n, entries: 1n };
  const digest = sectionDigest(new Map([[account, sums]]));
  return sections.map((section) => ({ section: String(section), digest }));
};

function faults(stored: readonly SectionRow[], wholeUpTo?: bigint): string[] {
  const told: string[] = [];
  const onFault = (tells: string) => told.push(tells);
  const comparison = new SectionComparison({ stored, wholeUpTo, onFault });
  for (const section of sections) comparison.posted(startOf(section), account, 10n);
  comparison.finish();
  return told;
}

const named = (section: bigint) =>
  `the sums of positions ${startOf(section)} to ${startOf(section + 1n) - 1n} are not those that the log gives`;

describe('sections of the ledger', () => {
  it('are no fault if they match the log', () => {
    expect(faults(rowsOf(10n))).toEqual([]);
  });

  it('are named if they differ, are missing, or exist without a leg', () => {
    expect(faults(rowsOf(11n))).toEqual(sections.map(named));
    expect(faults(rowsOf(10n).slice(1))).toEqual([named(0n)]);
    expect(faults([...rowsOf(10n), { section: '7', digest: '00' }])).toEqual([named(7n)]);
  });

  it('are compared as far as they are complete while something is held back', () => {
    const wrong = rowsOf(11n);
    expect(faults(wrong, startOf(2n) - 2n)).toEqual([named(0n)]);
    expect(faults(wrong, startOf(2n) - 1n)).toEqual([named(0n), named(1n)]);
  });
});
