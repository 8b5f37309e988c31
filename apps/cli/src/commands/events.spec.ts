import { expect, it } from '@jest/globals';
import { projectedPrefixes } from '#views/view-set';
import { events } from './events.js';

it('the events command reads every named stream, or all streams if none is named', () => {
  const streams = () => events.opts<{ readonly stream: readonly string[] }>().stream;
  expect(streams()).toEqual(projectedPrefixes);
  events.parseOptions([
    '--stream',
    'collection-demo:',
    '--stream',
    'payout',
    '--stream',
    'payout-',
  ]);
  expect(streams()).toEqual(['collection-demo:', 'payout-']);
});
