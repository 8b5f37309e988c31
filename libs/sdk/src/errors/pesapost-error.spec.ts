import { describe, expect, it } from '@jest/globals';
import { errorKinds } from './error-codes.js';
import { type Failure } from './failure.js';
import { pesaPostError, PesaPostError } from './pesapost-error.js';

const context = { call: 'GET /x', attempts: 1, idempotencyKey: undefined };
const told = { status: 400, requestId: 'r-1', retryAfterSeconds: undefined };
const invalidPhone: Failure = {
  ...told,
  code: 'invalid_phone',
  kind: 'request',
  detail: 'phone must be …',
};

describe('a failed call', () => {
  it('is an Error that tells call, status, code and detail', () => {
    const error: unknown = pesaPostError(invalidPhone, context);
    expect(error).toBeInstanceOf(Error);
    expect(error).toBeInstanceOf(PesaPostError);
    expect(String(error)).toBe('PesaPostError: GET /x: 400 invalid_phone: phone must be …');
    expect(new TypeError()).not.toBeInstanceOf(PesaPostError);
  });
});

/**
 * The compiler checks these: each line below a marker is an error today, and the check fails on the day that it is not.
 */
describe('the union of failures', () => {
  it('is exhaustive by kind', () => {
    const group = ({ kind }: PesaPostError): string => {
      switch (kind) {
        case 'authentication':
        case 'request':
        case 'not_found':
        case 'refused':
        case 'idempotency':
        case 'rate_limit':
        case 'service':
          return 'answered';
        case 'network':
        case 'timeout':
        case 'not_settled':
          return 'unanswered';
        case 'unknown':
          return 'unknown';
        default: {
          const nothingIsLeft: never = kind;
          return nothingIsLeft;
        }
      }
    };
    expect(group(pesaPostError(invalidPhone, context))).toBe('answered');
  });

  it('is exhaustive by code: every code of the table and our own', () => {
    type Own = Exclude<PesaPostError['code'], keyof typeof errorKinds>;
    const own: Record<Own, true> = {
      unknown_code: true,
      unexpected_answer: true,
      network_failure: true,
      timeout: true,
      not_settled: true,
      different_collection: true,
      different_payout: true,
      different_payout_batch: true,
    };
    // @ts-expect-error -- a table that lacks a code is refused
    const incomplete: Record<Own, true> = { unknown_code: true };
    expect(Object.keys(own)).toHaveLength(8);
    expect(incomplete).toBeDefined();
  });

  it('narrows by code to what that failure tells', () => {
    const narrowed = (error: PesaPostError): unknown => {
      if (error.code === 'timeout') {
        // @ts-expect-error -- a failure without an answer has no status
        expect(error.status).toBeUndefined();
        return error.timeoutMs;
      }
      if (error.code === 'unknown_code') return error.wireCode;
      if (error.code === 'not_settled') return error.last?.status;
      if (error.code === 'different_collection') return error.differs;
      if (error.code === 'different_payout') return error.existing.status;
      if (error.code === 'different_payout_batch') return error.existing.count;
      if (error.code === 'network_failure') return error.cause;
      // @ts-expect-error -- only an unknown code has a wireCode
      expect(error.wireCode).toBeUndefined();
      // @ts-expect-error -- no such code
      if (error.code === 'invalid_fone') return undefined;
      return error.code === 'rate_limited' ? error.retryAfterSeconds : error.status;
    };
    const timeout: Failure = { code: 'timeout', kind: 'timeout', timeoutMs: 5 };
    expect(narrowed(pesaPostError(timeout, context))).toBe(5);
    expect(narrowed(pesaPostError(invalidPhone, context))).toBe(400);
  });

  it('ties each code to its kind', () => {
    // @ts-expect-error -- rail_rejected is refused, not a malformed request
    const mismatch: Failure = { ...told, code: 'rail_rejected', kind: 'request', detail: '' };
    expect(mismatch.kind).not.toBe(errorKinds.rail_rejected);
  });
});
