import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { throwAwayDatabase, type ThrowAwayDatabase } from '#testing';
import {
  acceptedKept,
  CallRecords,
  type CallsMatched,
  type LoggedCall,
  mostCounted,
} from './call-records.js';

let server: ThrowAwayDatabase;
let records: CallRecords;

beforeAll(async () => {
  server = await throwAwayDatabase();
  records = new CallRecords(server.database);
});
afterAll(() => server.drop());
beforeEach(() => server.database.query('truncate records.api_calls'));

const call = (more: Partial<LoggedCall> = {}): LoggedCall => ({
  credentialId: 'c-1',
  merchantId: 'm-1',
  mode: 'live',
  requestId: 'r-1',
  method: 'GET',
  route: '/api/v4/transactions',
  target: '/api/v4/transactions?limit=5',
  status: 200,
  code: undefined,
  durationMs: 12,
  at: new Date('2026-11-22T10:00:00.123Z'),
  ...more,
});
const refused = (more: Partial<LoggedCall>): LoggedCall =>
  call({ status: 404, code: 'not_found', ...more });

const ids = async (wanted: Partial<Parameters<CallRecords['list']>[0]>) => {
  const found = await records.list({ credentialIds: ['c-1', 'c-2'], limit: 50, ...wanted });
  return found.map(({ requestId }) => requestId);
};

describe('the records of calls', () => {
  it('return a call as it was noted', async () => {
    await records.add({ uses: [], calls: [call()] });
    const [found] = await records.list({ credentialIds: ['c-1'], limit: 5 });
    expect(found).toEqual({
      id: expect.any(BigInt),
      credentialId: 'c-1',
      requestId: 'r-1',
      method: 'GET',
      route: '/api/v4/transactions',
      target: '/api/v4/transactions?limit=5',
      status: 200,
      code: null,
      durationMs: 12,
      at: new Date('2026-11-22T10:00:00.123Z'),
    });
  });

  it('list calls of several credentials newest first, page by page, and no one else’s', async () => {
    const calls = ['1', '2', '3', '4'].map((requestId, index) =>
      call({ requestId, credentialId: index % 2 === 0 ? 'c-1' : 'c-2' }),
    );
    await records.add({ uses: [], calls: [...calls, call({ credentialId: 'c-3' })] });
    expect(await ids({})).toEqual(['4', '3', '2', '1']);
    const page = await records.list({ credentialIds: ['c-1', 'c-2'], limit: 2 });
    expect(await ids({ before: page.at(-1)?.id ?? 0n })).toEqual(['2', '1']);
  });

  it('count the calls that a filter matches, and the refused ones of them', async () => {
    const calls = [call(), refused({ requestId: 'b' }), refused({ status: 503 })];
    await records.add({ uses: [], calls: [...calls, call({ credentialId: 'c-3' })] });
    const count = (matched: Partial<CallsMatched>) =>
      records.count({ credentialIds: ['c-1', 'c-2'], ...matched });
    expect(await count({})).toEqual({ calls: 3, refused: 2, hasMore: false });
    expect(await count({ onlyRefused: true, statusClass: 5 })).toEqual({
      calls: 1,
      refused: 1,
      hasMore: false,
    });
    expect(await count({ text: 'nothing' })).toEqual({ calls: 0, refused: 0, hasMore: false });
  });

  it('count no more than the newest, and say so', async () => {
    const accepted = Array.from({ length: mostCounted }, () => call());
    await records.add({ uses: [], calls: [refused({}), ...accepted] });
    expect(await records.count({ credentialIds: ['c-1'] })).toEqual({
      calls: mostCounted,
      refused: 0,
      hasMore: true,
    });
  });

  it('list by refusal, by status class, by a part of the path and by request id', async () => {
    const target = '/api/v4/collections/INV_1%';
    await records.add({
      uses: [],
      calls: [
        call({ requestId: 'a' }),
        refused({ requestId: 'b', target }),
        refused({ requestId: 'c', status: 503, code: 'unavailable', target: undefined }),
      ],
    });
    expect(await ids({ onlyRefused: true })).toEqual(['c', 'b']);
    expect(await ids({ statusClass: 2 })).toEqual(['a']);
    expect(await ids({ statusClass: 5 })).toEqual(['c']);
    expect(await ids({ text: 'INV_1%' })).toEqual(['b']);
    expect(await ids({ text: '_' })).toEqual(['b']);
    expect(await ids({ text: 'transactions' })).toEqual(['c', 'a']);
    expect(await ids({ text: 'c' })).toEqual(['c', 'b', 'a']);
    expect(await ids({ onlyRefused: true, statusClass: 2 })).toEqual([]);
  });

  it('trim the accepted calls of one merchant and mode to the newest, and no refused call', async () => {
    await records.add({
      uses: [],
      calls: [refused({ requestId: 'refused' }), call({ requestId: 'oldest' })],
    });
    await server.database.query(
      `insert into records.api_calls
         (credential_id, merchant_id, mode, request_id, method, route, status, called_at)
       select 'c-1', 'm-1', mode, 'many', 'GET', '/api/v4/transactions', 200, records.now_()
         from generate_series(1, $1) cross join unnest(array['live', 'demo']) as mode`,
      [acceptedKept],
    );
    await records.trim('m-1', 'live');
    const left = await server.database.query(
      `select mode, request_id as id, count(*)::integer as count from records.api_calls
         group by mode, request_id order by mode, request_id`,
    );
    expect(left).toEqual([
      { mode: 'demo', id: 'many', count: acceptedKept },
      { mode: 'live', id: 'many', count: acceptedKept },
      { mode: 'live', id: 'refused', count: 1 },
    ]);
  });
});
