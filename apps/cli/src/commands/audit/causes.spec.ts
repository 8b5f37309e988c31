import { describe, expect, it } from '@jest/globals';
import { type Fault } from '#adapters/audit';
import { causesOf, isCause } from './causes.js';

const event = (
  position: number,
  tells = `it is not what was noted as event ${position}`,
): Fault => ({
  in: 'events',
  stream: `collection-demo:m:${position}`,
  position: String(position),
  tells,
});
const head = (day: number): Fault => ({
  in: 'heads',
  date: `2026-11-${String(day).padStart(2, '0')}`,
  tells: 'the events up to it are not those that it sealed',
});
const entry = (position: number): Fault => ({
  in: 'ledger_entries',
  position: String(position),
  tells: `leg ${position % 3} has another chain than the log gives`,
});
const many = <T>(count: number, make: (n: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, n) => make(n + 1));

describe('the faults of a check', () => {
  it('begin with the changed event, and fold the hundreds that follow from it', () => {
    const faults = [...many(28, head), ...many(290, (n) => entry(n + 40)), event(40)];
    const folded = causesOf(faults);
    expect(folded.map(({ fault, others }) => [fault.in, others])).toEqual([
      ['events', 0],
      ['heads', 27],
      ['ledger_entries', 289],
    ]);
    expect(folded.filter((each) => isCause(each, folded))).toHaveLength(1);
  });

  it('name each of two changed events, the earlier first', () => {
    const folded = causesOf([head(3), event(90), event(40)]);
    expect(folded.map(({ fault }) => fault.position)).toEqual(['40', '90', undefined]);
  });

  it('are causes themselves if the log is well', () => {
    const folded = causesOf(many(9, (n) => head(n)));
    expect(folded.map(({ others }) => others)).toEqual([0, 0, 0, 0, 4]);
    expect(folded.every((each) => isCause(each, folded))).toBe(true);
  });

  it('are none of none', () => {
    expect(causesOf([])).toEqual([]);
  });
});
