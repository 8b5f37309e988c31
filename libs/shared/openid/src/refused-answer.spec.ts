import { describe, expect, it } from '@jest/globals';
import { refusedAnswer } from './refused-answer.js';

const nested = (...causes: object[]): unknown =>
  causes.reduceRight<object | undefined>(
    (cause, each) => Object.assign(new Error('refused'), each, cause && { cause }),
    undefined,
  );

describe('the facts of a refused answer', () => {
  it('are the library’s code and the provider’s error and status', () => {
    const thrown = nested({ code: 'OAUTH_RESPONSE_BODY_ERROR', error: 'invalid_client' });
    expect(refusedAnswer(Object.assign(thrown as Error, { status: 401 }))).toEqual({
      code: 'OAUTH_RESPONSE_BODY_ERROR',
      error: 'invalid_client',
      status: 401,
    });
  });

  it('name the token’s algorithm only if we do not accept it', () => {
    const signedBy = (alg: string): unknown =>
      nested({ code: 'OAUTH_INVALID_RESPONSE' }, {}, { header: { alg } });
    expect(refusedAnswer(signedBy('PS256'))).toMatchObject({ alg: 'PS256' });
    expect(refusedAnswer(signedBy('ES256'))).not.toHaveProperty('alg');
  });

  it('name the issuer that was found, in the document or in the token', () => {
    const found = 'http://127.0.0.1:8080/realms/a';
    const document = nested({ code: 'a' }, { attribute: 'issuer', body: { issuer: found } });
    const token = nested({ code: 'b' }, { claim: 'iss', claims: { iss: found, sub: 'amina' } });
    expect(refusedAnswer(document)).toEqual({ code: 'a', found });
    expect(refusedAnswer(token)).toEqual({ code: 'b', claim: 'iss', found });
  });

  it('contain no text that a terminal would obey, and no claim of a person', () => {
    const escape = String.fromCharCode(27);
    const thrown = nested({ code: 'a', error: `x${escape}[2J` }, { claims: { sub: 'amina' } });
    expect(refusedAnswer(thrown)).toEqual({ code: 'a' });
  });

  it('are unknown for anything else that is thrown', () => {
    expect([undefined, 'x', {}].map(refusedAnswer)).toEqual(Array(3).fill({ code: 'unknown' }));
    expect(refusedAnswer(new TypeError('x'))).toEqual({ code: 'TypeError' });
  });
});
