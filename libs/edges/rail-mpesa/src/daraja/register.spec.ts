import { describe, expect, it } from '@jest/globals';
import { readRegistered } from './register.js';

const answer = (status: number, body: object | string) =>
  readRegistered(status, typeof body === 'string' ? body : JSON.stringify(body), '600966');

describe('the answer to a registration of addresses for notices', () => {
  it.each([
    [
      'accepts them',
      200,
      {
        OriginatorCoversationID: '7619-37765134-1',
        ResponseCode: '0',
        ResponseDescription: 'success',
      },
      { kind: 'registered', shortCode: '600966' },
    ],
    [
      'says in production that there are some',
      500,
      { requestId: '1', errorCode: '500.003.1001', errorMessage: 'Urls are already registered' },
      { kind: 'registered_before' },
    ],
    [
      'says in the sandbox that there are some',
      200,
      { OriginatorCoversationID: '', ResponseDescription: 'URLs already registered' },
      { kind: 'registered_before' },
    ],
    [
      'has the same code for another fault',
      500,
      { requestId: '1', errorCode: '500.003.1001', errorMessage: 'Internal server error' },
      { kind: 'unanswered' },
    ],
    [
      'refuses an address',
      400,
      {
        requestId: '1',
        errorCode: '400.002.02',
        errorMessage: 'Bad Request - Invalid ConfirmationURL',
      },
      { kind: 'refused', code: '400.002.02' },
    ],
    [
      'says that the app has no access',
      401,
      { requestId: '1', errorCode: '401.003.01', errorMessage: 'no apiproduct match found' },
      { kind: 'refused', code: '401.003.01' },
    ],
    [
      'refuses the token',
      404,
      { requestId: '1', errorCode: '404.001.03', errorMessage: 'Invalid Access Token' },
      { kind: 'invalid_token' },
    ],
    ['is a gateway’s page', 502, '<html></html>', { kind: 'unanswered' }],
    ['has no code', 200, {}, { kind: 'unanswered' }],
  ])('%s', (_, status, body, outcome) => {
    expect(answer(status, body)).toEqual(outcome);
  });
});
