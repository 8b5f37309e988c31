import { describe, expect, it } from '@jest/globals';
import { v3BodyOf } from './v3-body.js';

const body = (amount: string, mode = 'demo') =>
  `{"id":"0193f9a2","type":"collection.completed","created_at":"2026-01-01T00:00:00.000Z","mode":"${mode}","sequence":7,` +
  `"data":{"type":"collection","reference":"R-1","status":"completed","amount_minor":${amount},"currency":"KES",` +
  `"fee_minor":4,"id":"other","account_no":"1000000001","channel":"mpesa","rail_reference":"ws_CO_1","receipt":"SBX1"}}`;

describe('a V3 webhook', () => {
  it('says the event in V3’s words', () => {
    expect(v3BodyOf(body('25000'))).toBe(
      '{"id":"0193f9a2","status":"completed","ref":"R-1","transactionId":"ws_CO_1","amount":"250.00","currency":"KES",' +
        '"accountNumber":"1000000001","receipt":"SBX1","live":0}',
    );
    expect(JSON.parse(v3BodyOf(body('5', 'live')))).toMatchObject({ live: 1, amount: '0.05' });
  });

  it('is exact at any size', () => {
    const exact = JSON.parse(v3BodyOf(body('9007199254740993'))) as { amount: string };
    expect(exact.amount).toBe('90071992547409.93');
  });
});
