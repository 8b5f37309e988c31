import { expect, it } from '@jest/globals';
import { projectedPrefixes } from '#views/view-set';
import { events } from './events.js';

it('events takes every stream that is named, and all where none is', () => {
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
