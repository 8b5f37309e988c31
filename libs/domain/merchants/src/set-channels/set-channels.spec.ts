import { describe, expect, it } from '@jest/globals';
import { type Merchant } from '../merchant.js';
import { decideSetChannels } from './set-channels.command.js';

const merchant = {
  kind: 'registered',
  accounts: [{ accountNo: '1001', mode: 'demo', currency: 'KES' }],
} as unknown as Merchant;

describe('the rails of an account (AIR-9)', () => {
  it('are a set with mpesa in front', () => {
    const channels = ['pigeon', 'airtel', 'mpesa', 'airtel'];
    expect(decideSetChannels({ accountNo: '1001', channels }, merchant)).toEqual({
      ok: true,
      value: [
        {
          type: 'AccountChannelsSet',
          data: { accountNo: '1001', channels: ['mpesa', 'airtel', 'pigeon'] },
        },
      ],
    });
  });

  it.each<[string, string, string[], Merchant]>([
    ['unknown_merchant', '1001', ['mpesa'], { kind: 'none' }],
    ['unknown_account', '1002', ['mpesa'], merchant],
    ['first_channel_missing', '1001', ['airtel'], merchant],
    ['first_channel_missing', '1001', [], merchant],
  ])('are refused: %s', (refusal, accountNo, channels, state) => {
    expect(decideSetChannels({ accountNo, channels }, state)).toEqual({ ok: false, refusal });
  });
});
