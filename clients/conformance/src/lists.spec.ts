import { describe, expect, it } from '@jest/globals';
import { describeEachClient, type Scene } from './scene.js';
import { answer, refused } from './turns.js';

const page = (references: readonly string[], next_cursor: unknown) =>
  answer(200, {
    data: references.map((reference) => ({ reference, amount_minor: 1 })),
    next_cursor,
  });
const events = (...sequences: number[]) =>
  answer(200, {
    data: sequences.map((sequence) => ({
      id: `e-${sequence}`,
      type: 'new.type',
      sequence,
      data: {},
    })),
    next_after_sequence: sequences.at(-1) ?? 0,
  });
const item = (status: string) => answer(200, { status, amount_minor: 1 });

describeEachClient((scene) => {
  const urls = () => scene.service.requests.map(({ url }) => url);

  describe('transactions', () => {
    it('are walked by next_cursor with the same filters until it is null (SDK-14)', async () => {
      scene.service.turns = [page(['C', 'B'], 'next=='), page(['A'], null)];
      const client = await scene.client();
      const filters = { status: 'completed', from: '2026-01-01', limit: 2 };
      const all = (await client.call('transactions.all', [filters])) as unknown as object[];
      expect(all).toEqual(['C', 'B', 'A'].map((reference) => ({ reference, amount_minor: '1' })));
      expect(urls()).toEqual([
        '/api/v4/transactions?from=2026-01-01&limit=2&status=completed',
        '/api/v4/transactions?cursor=next%3D%3D&from=2026-01-01&limit=2&status=completed',
      ]);
    });

    it('are fetched only when the caller needs them (SDK-14)', async () => {
      scene.service.turns = [page(['C', 'B'], 'next'), page(['A'], null)];
      const client = await scene.client();
      const two = await client.call('transactions.all', [], { take: 2 });
      expect(two).toHaveLength(2);
      expect(urls()).toHaveLength(1);
    });

    it('are read page by page, from a cursor that the caller stored (SDK-14)', async () => {
      scene.service.turns = [page(['A'], null)];
      const client = await scene.client();
      const pages = await client.call('transactions.pages', [{ cursor: 'stored' }]);
      expect(pages).toMatchObject([{ data: [{ reference: 'A' }], next_cursor: null }]);
      const one = await client.call('transactions.list', [{ batch: 'B/1 &' }]);
      expect(one).toMatchObject({ data: [{ reference: 'A' }], next_cursor: null });
      expect(urls()).toEqual([
        '/api/v4/transactions?cursor=stored',
        '/api/v4/transactions?batch=B%2F1%20%26',
      ]);
    });

    it.each([['same'], [7], [undefined]])(
      'end with unexpected_answer if the next cursor is %j again (SDK-14)',
      async (cursor) => {
        scene.service.turns = [page(['B'], 'same'), page(['A'], cursor)];
        const client = await scene.client();
        const failure = await client.failure('transactions.all', []);
        expect(failure).toMatchObject({ code: 'unexpected_answer' });
        expect(urls()).toHaveLength(2);
      },
    );
  });

  describe('events', () => {
    it('are walked by sequence until a page is empty (SDK-15)', async () => {
      scene.service.turns = [events(5, 6), events(7), events()];
      const client = await scene.client();
      const all = await client.call('events.all', [4], { limit: 2 });
      expect(all).toMatchObject([5, 6, 7].map((sequence) => ({ sequence, type: 'new.type' })));
      const path = '/api/v4/events?after_sequence=';
      expect(urls()).toEqual([4, 6, 7].map((after) => `${path}${after}&limit=2`));
    });

    it.each([
      ['on one page', [events(1, 3)]],
      ['between two pages', [events(1), events(3)]],
      ['before the first', [events(2)]],
    ])('end with unexpected_answer if one is missing %s (SDK-15)', async (_name, turns) => {
      scene.service.turns = turns;
      const client = await scene.client();
      const failure = await client.failure('events.all', [0]);
      expect(failure).toMatchObject({ code: 'unexpected_answer', kind: 'unknown' });
    });

    it('are returned before the gap (SDK-15)', async () => {
      scene.service.turns = [events(1, 3)];
      const client = await scene.client();
      expect(await client.call('events.all', [0], { take: 1 })).toMatchObject([{ sequence: 1 }]);
    });
  });

  describe('waiting', () => {
    waiting(scene);
  });
});

function waiting(scene: Scene): void {
  it.each(['completed', 'failed'])('ends when the collection is %s (SDK-16)', async (status) => {
    scene.service.turns = [item('pending'), item(status)];
    const client = await scene.client();
    expect(await client.call('collections.wait_until_settled', ['INV/1'])).toMatchObject({
      status,
    });
    expect(scene.service.requests).toHaveLength(2);
  });

  it('continues after outcomes that may change (SDK-16)', async () => {
    scene.service.turns = [
      refused(503, 'service_unavailable'),
      'cut the connection',
      item('completed'),
    ];
    const client = await scene.client({ retries: { max: 0 } });
    const settled = await client.call('collections.wait_until_settled', ['INV/1']);
    expect(settled).toMatchObject({ status: 'completed' });
  });

  it('ends at once with any other failure (SDK-16)', async () => {
    scene.service.turns = [refused(404, 'not_found'), item('completed')];
    const client = await scene.client();
    const failure = await client.failure('collections.wait_until_settled', ['INV/1']);
    expect(failure).toMatchObject({ code: 'not_found' });
  });

  it('ends with the last known state when time is up (SDK-16)', async () => {
    scene.service.turns = [item('pending'), 'say nothing'];
    const client = await scene.client();
    const options = { timeout_ms: 2_000 };
    const failure = await client.failure('collections.wait_until_settled', ['INV/1'], options);
    expect(failure).toMatchObject({
      code: 'not_settled',
      kind: 'not_settled',
      last: { status: 'pending', amount_minor: '1' },
    });
  });

  it('ends in time if the request for the token gets no answer (SDK-16)', async () => {
    scene.service.tokenTurns = ['say nothing'];
    const client = await scene.client();
    const options = { timeout_ms: 1_000 };
    const failure = await client.failure('collections.wait_until_settled', ['INV/1'], options);
    expect(failure).toMatchObject({ code: 'not_settled' });
    expect(failure['last']).toBeUndefined();
  });
}
