import { describe, expect, it } from '@jest/globals';
import { Problem, RawQuery } from '#shared/http';
import { encodeCursor } from '#views/transactions';
import { validated } from '../validation/validated.js';
import { ListTransactionsDto } from './list-transactions.dto.js';

const cursor = encodeCursor(42n);

function outcome(query: string) {
  try {
    const dto = validated(ListTransactionsDto).transform(new RawQuery(query), { type: 'query' });
    return JSON.parse(JSON.stringify(dto)) as object;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const { status, code } = error.error;
    return error.detail === undefined ? { status, code } : { status, code, detail: error.detail };
  }
}

describe('the query of a list', () => {
  it('may be empty', () => {
    expect(outcome('')).toEqual({});
  });

  it('takes each parameter', () => {
    const query = `type=payout&status=pending_approval&from=2026-02-01&to=2026-02-01&limit=100&cursor=${cursor}&date_field=paid_at&origin=c2b`;
    expect(outcome(query)).toEqual({
      type: 'payout',
      status: 'pending_approval',
      from: '2026-02-01',
      to: '2026-02-01',
      limit: '100',
      cursor,
      date_field: 'paid_at',
      origin: 'c2b',
    });
  });

  it.each([
    ['type=refund', 'invalid_type'],
    ['type=', 'invalid_type'],
    ['status=done', 'invalid_status'],
    ['status=COMPLETED', 'invalid_status'],
    ['from=2026-02-30', 'invalid_date'],
    ['from=2026-2-3', 'invalid_date'],
    ['from=2025-02-29', 'invalid_date'],
    ['from=0000-01-01', 'invalid_date'],
    ['from=2026-02-01T00%3A00', 'invalid_date'],
    ['to=', 'invalid_date'],
    ['to=2026-13-01', 'invalid_date'],
    ['from=2026-02-02&to=2026-02-01', 'invalid_date'],
    ['limit=0', 'invalid_limit'],
    ['limit=101', 'invalid_limit'],
    ['limit=-1', 'invalid_limit'],
    ['limit=1.5', 'invalid_limit'],
    ['limit=025', 'invalid_limit'],
    ['limit=1e1', 'invalid_limit'],
    ['limit=', 'invalid_limit'],
    ['limit=%2025', 'invalid_limit'],
    ['date_field=updated_at', 'invalid_request'],
    ['origin=till', 'invalid_request'],
    ['colour=red', 'invalid_request'],
    ['Limit=5', 'invalid_request'],
    ['limit=5&limit=5', 'invalid_request'],
    ['__proto__=x', 'invalid_request'],
  ])('%s is refused as %s, with a detail', (query, code) => {
    expect(outcome(query)).toEqual({
      status: 400,
      code,
      detail: expect.stringMatching(/\.$/) as unknown,
    });
  });

  it.each(['cursor=', 'cursor=abc', `cursor=${cursor}&cursor=${cursor}`, `cursor=${cursor}%3D`])(
    '%s is refused as invalid_cursor, without a detail',
    (query) => {
      expect(outcome(query)).toEqual({ status: 400, code: 'invalid_cursor' });
    },
  );

  it('is rejected for the first bad parameter in the contract’s order, regardless of its position', () => {
    const bad = [
      ['invalid_type', 'type=x'],
      ['invalid_status', 'status=x'],
      ['invalid_date', 'from=x'],
      ['invalid_date', 'to=x'],
      ['invalid_limit', 'limit=x'],
      ['invalid_cursor', 'cursor=x'],
      ['invalid_request', 'date_field=x'],
    ] as const;
    for (let from = 0; from < bad.length; from += 1) {
      const query = bad
        .slice(from)
        .map(([, parameter]) => parameter)
        .reverse()
        .join('&');
      expect(outcome(query)).toMatchObject({ code: bad[from]?.[0] });
    }
  });
});
