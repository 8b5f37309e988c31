import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { packageDirectory } from '#infra/runtime';
import { collectionScenarios } from './collection-scenarios.js';
import { payoutScenarios } from './payout-scenarios.js';
import { refundScenarios } from './refund-scenarios.js';
import { ways } from './ways.js';

const page = readFileSync(
  join(packageDirectory(), 'docs', 'how-to', 'use-the-airtel-simulator.md'),
  'utf8',
);

/** The first cells of a section's table. */
const firstCells = (heading: string): readonly string[] =>
  (page.split(`## ${heading}\n`)[1]?.split('\n## ')[0] ?? '')
    .split('\n')
    .flatMap((line) => /^\| `?(\w+)`? +\|/.exec(line)?.[1] ?? [])
    .filter((cell) => cell !== 'phone' && cell !== 'way');

describe('the page about the Airtel simulator', () => {
  it.each([
    ['Payments', collectionScenarios],
    ['Payouts', payoutScenarios],
    ['Refunds', refundScenarios],
  ])('lists the numbers of %s', (heading, scenarios) => {
    expect(firstCells(heading)).toEqual(Object.keys(scenarios));
  });

  it('lists each way with its values, the default first', () => {
    expect(firstCells('Ways')).toEqual(Object.keys(ways));
    for (const [name, values] of Object.entries(ways)) {
      const row = page.split('\n').find((line) => line.startsWith(`| \`${name}\``)) ?? '';
      const [, , named = ''] = row.split('|');
      expect([...named.matchAll(/`([^`]+)`/g)].map(([, value]) => value)).toEqual([...values]);
    }
  });
});
