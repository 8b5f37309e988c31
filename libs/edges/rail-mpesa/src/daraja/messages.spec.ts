import { describe, expect, it } from '@jest/globals';
import { pushBody, queryBody } from './messages.js';

const merchant = { shortcode: '174379', passkey: 'secret' };
const nowMs = Date.parse('2026-01-31T21:00:00Z');
const proof = {
  BusinessShortCode: '174379',
  Timestamp: '20260201000000',
  Password: Buffer.from('174379secret20260201000000').toString('base64'),
};

describe('a request to Daraja', () => {
  const prompt = {
    phone: '254712345678',
    amountMinor: 25_050n,
    accountReference: '0123456789AB',
    callbackUrl: 'https://pay.example/rails/01ab',
  };

  it('prompts the payer for a payment to the till, as the store’s shortcode, if there is a till', () => {
    expect(JSON.parse(pushBody({ ...merchant, till: '832909' }, prompt, nowMs))).toMatchObject({
      ...proof,
      TransactionType: 'CustomerBuyGoodsOnline',
      PartyB: '832909',
    });
  });

  it('prompts the payer for a paybill payment', () => {
    expect(JSON.parse(pushBody(merchant, prompt, nowMs))).toEqual({
      ...proof,
      TransactionType: 'CustomerPayBillOnline',
      Amount: '250.50',
      PartyA: '254712345678',
      PartyB: '174379',
      PhoneNumber: '254712345678',
      CallBackURL: 'https://pay.example/rails/01ab',
      AccountReference: '0123456789AB',
      TransactionDesc: expect.stringMatching(/^.{1,13}$/),
    });
  });

  it('asks about one checkout', () => {
    expect(JSON.parse(queryBody(merchant, 'ws_CO_1', nowMs))).toEqual({
      ...proof,
      CheckoutRequestID: 'ws_CO_1',
    });
  });
});
