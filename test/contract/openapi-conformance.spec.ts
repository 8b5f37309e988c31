import { assertConforms, type Exchange } from '#testing';
import { describe, expect, it } from '@jest/globals';
import { answerHeaders } from '#shared/http';

const headers = (more: Record<string, string> = {}) =>
  new Map(
    Object.entries({
      date: 'Wed, 21 Jan 2026 06:36:17 GMT',
      'x-request-id': 'r-1',
      ...Object.fromEntries(
        Object.entries(answerHeaders).map(([name, value]) => [name.toLowerCase(), value]),
      ),
      ...more,
    }),
  );
const rate = {
  'ratelimit-policy': '"credential";q=100;w=1',
  ratelimit: '"credential";r=199;t=1',
};
const created: Exchange = {
  method: 'POST',
  url: '/api/v4/collections',
  status: 202,
  headers: headers({ ...rate, 'x-pp-ledger-position': '17' }),
  body: {
    status: 'pending',
    reference: 'INV-1',
    rail_reference: null,
    amount_minor: 100,
    currency: 'KES',
  },
};

describe('an answer checked against openapi.json', () => {
  it('conforms if it matches the document', () => {
    assertConforms(created);
    assertConforms({
      ...created,
      url: '/api/v4/nowhere?a=b',
      status: 404,
      headers: headers(),
      body: { error: 'not_found' },
    });
    assertConforms({
      ...created,
      method: 'DELETE',
      status: 405,
      headers: headers({ allow: 'POST' }),
      body: { error: 'method_not_allowed' },
    });
  });

  it.each<[string, Partial<Exchange>, string]>([
    ['a status that the document does not name', { status: 201 }, 'does not name this status'],
    ['a member that nobody documented', { body: { ...(created.body as object), more: 1 } }, 'body'],
    ['a member that is missing', { body: { status: 'pending' } }, 'reference'],
    ['another type', { body: { ...(created.body as object), amount_minor: '100' } }, 'integer'],
    ['a header that nobody documented', { headers: headers({ ...rate, server: 'x' }) }, 'server'],
    ['a header that is missing', { headers: headers() }, 'no header ratelimit'],
    ['a header of another form', { headers: headers({ ...rate, ratelimit: '9' }) }, 'ratelimit: 9'],
    ['a code of another status', { status: 409, body: { error: 'invalid_phone' } }, '/error'],
    ['a code of another route', { status: 422, body: { error: 'rail_rejected' } }, '/error'],
  ])('does not conform with %s', (_what, spoilt, said) => {
    expect(() => {
      assertConforms({ ...created, ...spoilt });
    }).toThrow(said);
  });
});
