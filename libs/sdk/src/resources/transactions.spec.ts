import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { clientOf, failureOf } from '../../test/fixtures.js';
import { ScriptedService, type Turn } from '../../test/scripted-service.js';
import { type PesaPostOptions } from '../options.js';

let service: ScriptedService;
beforeEach(async () => {
  service = await ScriptedService.start();
});
afterEach(() => service.stop());

const client = (options: Partial<PesaPostOptions> = {}) => clientOf(service, options);

describe('the list', () => {
  const page = (references: string[], next_cursor: unknown): Turn => ({
    status: 200,
    body: { data: references.map((reference) => ({ reference })), next_cursor },
  });

  it('is iterated item by item over all pages, with the filters on each request', async () => {
    service.turns = [page(['A', 'B'], 'c1'), page([], 'c2'), page(['C'], null)];
    const seen: string[] = [];
    for await (const { reference } of client().transactions.all({ status: 'completed' }))
      seen.push(reference);
    expect(seen).toEqual(['A', 'B', 'C']);
    expect(service.requests.map(({ url }) => url.split('?')[1])).toEqual([
      'status=completed',
      'cursor=c1&status=completed',
      'cursor=c2&status=completed',
    ]);
  });

  it('fetches no page that the caller does not need', async () => {
    service.turns = [page(['A', 'B'], 'c1')];
    const walk = client().transactions.all();
    expect((await walk.next()).value).toMatchObject({ reference: 'A' });
    await walk.return();
    expect(await walk.next()).toMatchObject({ done: true });
    expect(service.requests).toHaveLength(1);
  });

  it.each([['c1'], [undefined]])('is not followed endlessly along %s', async (cursor) => {
    service.turns = [page(['A'], 'c1'), page(['B'], cursor)];
    const walk = client().transactions.pages();
    await walk.next();
    await walk.next();
    expect(await failureOf(walk.next())).toMatchObject({ code: 'unexpected_answer' });
    expect(service.requests).toHaveLength(2);
  });
});
