import { describe, expect, it } from '@jest/globals';
import { crashPoints } from './crash-points.js';
import { parseCrashAt } from './settings-values.js';

describe('CRASH_AT', () => {
  it.each([
    ['trace', { kind: 'trace' }],
    ['postgres:commit:after', { kind: 'die', point: 'postgres:commit:after', pass: 1 }],
    [
      'eventstore:append RailConfirmed,WalletPosted:before#12',
      { kind: 'die', point: 'eventstore:append RailConfirmed,WalletPosted:before', pass: 12 },
    ],
  ])('%s is understood', (text, crashAt) => {
    expect(parseCrashAt(text)).toEqual(crashAt);
  });

  it.each(['', 'on', 'postgres:commit', 'commit:after', 'redis:set:after#0', 'redis:set:after#x'])(
    '%j is refused',
    (text) => {
      expect(parseCrashAt(text)).toBeUndefined();
    },
  );

  it('leaves nothing behind in a process that it does not concern', () => {
    expect(crashPoints).toBeUndefined();
  });
});
