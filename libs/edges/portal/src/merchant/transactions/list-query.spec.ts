import { describe, expect, it } from '@jest/globals';
import { encodeCursor } from '#views/transactions';
import { readListQuery, searchOf } from './list-query.js';

const read = (search: string) => readListQuery(new URLSearchParams(search));

describe('the query of the list', () => {
  it('asks for nothing if its fields are empty, as a form sends them', () => {
    const { query, wrong } = read('type=&status=&from=&to=&date_field=created_at&at=+&batch=');
    expect([query, wrong]).toEqual([{ dateField: 'created_at' }, []]);
  });

  it('is repeated by a link as it was read', () => {
    const search = `type=payout&status=pending_approval&attention=true&account=100000001&date_field=paid_at&from=2026-11-01&to=2026-11-30&batch=salaries&at=2026-11-21&cursor=${encodeCursor(42n)}`;
    const { query, wrong } = read(search);
    expect(wrong).toEqual([]);
    expect(query).toMatchObject({ type: 'payout', at: { day: '2026-11-21' }, before: 42n });
    expect(searchOf(query)).toBe(search);
    expect(searchOf(read('at=17').query)).toBe('at=17');
  });

  it.each([
    ['type=refund', 'type'],
    ['status=done', 'status'],
    ['attention=no', 'attention'],
    ['account=%3Cb%3E', 'account'],
    ['date_field=updated_at', 'date_field'],
    ['from=2026-02-30', 'from'],
    ['to=yesterday', 'to'],
    ['from=2026-02-02&to=2026-02-01', 'to'],
    ['batch=%3Cb%3E', 'batch'],
    ['at=-1', 'at'],
    ['at=9999999999999999999', 'at'],
    ['cursor=abc', 'cursor'],
  ])('%s is reported as wrong, and filters nothing', (search, field) => {
    const { query, typed, wrong } = read(search);
    expect(wrong).toEqual([field]);
    expect(Object.keys(query)).not.toContain(field === 'cursor' ? 'before' : field);
    expect(typed).toHaveProperty(field);
  });
});
