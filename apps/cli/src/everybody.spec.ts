import { afterEach, describe, expect, it } from '@jest/globals';
import { refuseEverybody } from './everybody.js';

describe('a credential’s addresses', () => {
  const before = process.env['ALLOW_UNSAFE'];
  afterEach(() => {
    if (before === undefined) delete process.env['ALLOW_UNSAFE'];
    else process.env['ALLOW_UNSAFE'] = before;
  });

  it('are not everybody’s in live mode, unless the rule is lifted', () => {
    for (const ranges of [
      ['0.0.0.0/0'],
      ['203.0.113.7', '::/0'],
      ['::ffff:0:0/96'],
      ['0.0.0.0/1', '128.0.0.0/1'],
    ])
      expect(() => {
        refuseEverybody('live', ranges);
      }).toThrow(/credentials-for-everybody/);
    process.env['ALLOW_UNSAFE'] = 'credentials-for-everybody';
    refuseEverybody('live', ['0.0.0.0/0']);
  });

  it('may be in demo mode, and some of them in live mode', () => {
    refuseEverybody('demo', ['0.0.0.0/0']);
    refuseEverybody('live', ['203.0.113.0/24', '2001:db8::/48']);
  });
});
