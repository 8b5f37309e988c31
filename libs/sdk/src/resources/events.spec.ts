import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { clientOf, failureOf } from '../../test/fixtures.js';
import { isSigned, ScriptedService, type Turn } from '../../test/scripted-service.js';

let service: ScriptedService;
beforeEach(async () => {
  service = await ScriptedService.start();
});
afterEach(() => service.stop());

function page(...sequences: number[]): Turn {
  const data = sequences.map((sequence) => ({ id: `e${sequence}`, sequence, data: {} }));
  const next_after_sequence = sequences.at(-1) ?? 0;
  const headers = { 'X-PP-Ledger-Position': '41' };
  return { status: 200, body: { data, next_after_sequence }, headers };
}

describe('the events', () => {
  it('are returned as a page, with amounts of any size', async () => {
    const text =
      '{"data":[{"sequence":8,"data":{"amount_minor":9007199254740993}}],"next_after_sequence":8}';
    service.turns = [{ ...(page() as object), text } as Turn];
    const filters = { afterSequence: 7, limit: 100 };
    const answer = await clientOf(service).events.list(filters, { minPosition: '40' });
    expect(answer).toEqual({
      data: [{ sequence: 8, data: { amount_minor: 9_007_199_254_740_993n } }],
      next_after_sequence: 8,
      ledgerPosition: '41',
    });
    const [request] = service.requests;
    expect(request?.url).toBe('/api/v4/events?after_sequence=7&limit=100');
    expect(request?.headers['x-pp-min-position']).toBe('40');
    expect(request && isSigned(request)).toBe(true);
  });

  it('are iterated from the first to the newest', async () => {
    service.turns = [page(1, 2), page(3), page()];
    const seen: number[] = [];
    for await (const { sequence } of clientOf(service).events.all({ limit: 2 }))
      seen.push(sequence);
    expect(seen).toEqual([1, 2, 3]);
    expect(service.requests.map(({ url }) => url.split('?')[1])).toEqual([
      'after_sequence=0&limit=2',
      'after_sequence=2&limit=2',
      'after_sequence=3&limit=2',
    ]);
  });

  it.each<[string, number[], Turn[]]>([
    ['an event is missing', [5], [page(5), page(7)]],
    ['a page comes again', [5], [page(5), page(5)]],
    ['the sequence is no number', [], [{ status: 200, body: { data: [{ sequence: '5' }] } }]],
  ])('are not iterated further if %s', async (_, handed, turns) => {
    service.turns = turns;
    const seen: number[] = [];
    const walk = async () => {
      for await (const { sequence } of clientOf(service).events.all({ afterSequence: 4 }))
        seen.push(sequence);
    };
    expect(await failureOf(walk())).toMatchObject({ code: 'unexpected_answer' });
    expect(seen).toEqual(handed);
  });
});
