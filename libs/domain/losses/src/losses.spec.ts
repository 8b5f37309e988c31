import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { type CommandMetadata, Pipeline } from '#domain/event-sourcing';
import { type Instant } from '#domain/kernel';
import { type Decided } from '#domain/proposals';
import { MemoryLog } from '#testing';
import fc from 'fast-check';
import { AcceptLossesSubject, LossRecords } from './accept/accept-losses.command.js';
import { AcceptedLosses } from './accepted-losses.js';
import { ListLosses, ListLossesHandler } from './list/list-losses.command.js';
import { type Loss, type LossChunk, LossCollector, maxIdsInChunk } from './loss-collector.js';
import { LossLists } from './loss-lists.js';
import { lossesStream, type LossKind, type LossList, lossListStream } from './losses.events.js';

const sha256Hex = (text: string): string => createHash('sha256').update(text).digest('hex');
const at = '2026-11-20T11:05:00.000Z' as Instant;
const metadata: CommandMetadata & { readonly reason: string } = {
  correlationId: 'r',
  actor: { kind: 'operator', id: 'asha' },
  reason: 'restored',
};

class SomeRecords extends LossRecords {
  readonly there = new Set<string>();
  override countMessages = (ids: readonly string[]) =>
    Promise.resolve(ids.filter((id) => this.there.has(id)).length);
}

async function* each<T>(items: readonly T[]): AsyncGenerator<T, void, void> {
  for (const item of items) yield await Promise.resolve(item);
}

function begin() {
  const [log, records] = [new MemoryLog(), new SomeRecords()];
  let made = 0;
  const pipeline = new Pipeline(log, { next: () => `id-${(made += 1)}` });
  const lists = new LossLists(log, sha256Hex);
  const subject = new AcceptLossesSubject(pipeline, lists, records);
  const list = async (losses: readonly Loss[]): Promise<LossList> => {
    const { parts, summary } = collected(losses);
    const handler = new ListLossesHandler(pipeline);
    return { ...summary, list: await handler.execute(new ListLosses(each(parts), metadata)) };
  };
  const two = (details: LossList): Decided => ({
    by: 'two',
    proposalId: 'p',
    seen: details.digest,
    proposedBy: 'asha',
    confirmedBy: 'joseph',
  });
  const confirm = (details: LossList) => subject.carryOut(details, two(details), metadata);
  const accept = async (losses: readonly Loss[]): Promise<LossList> => {
    const details = await list(losses);
    expect((await confirm(details)).ok).toBe(true);
    return details;
  };
  const accepted = () => AcceptedLosses.load(log, lists);
  return { log, records, pipeline, subject, list, two, confirm, accept, accepted };
}

function collected(losses: readonly Loss[]) {
  const collector = new LossCollector(sha256Hex);
  const parts = losses.flatMap((loss) => collector.add(loss) ?? []).concat(collector.finish());
  const { summary } = collector;
  if (!summary) throw new Error('nothing was collected');
  return { parts, summary };
}

const loss = (id: string, kind: LossKind = 'messages', position = 1n): Loss => ({
  kind,
  id,
  position,
  recordedAt: at,
});

describe('a list of losses', () => {
  it('names each id once, in parts that the store takes, and binds all of them', () => {
    const ids = Array.from({ length: maxIdsInChunk + 1 }, (_, index) => `m-${index}`);
    const losses = ids.flatMap((id) => [loss(id), loss(id)]);
    const { parts, summary } = collected([...losses, loss('c', 'claims')]);
    expect(parts.map(({ kind, ids: of }) => [kind, of.length])).toEqual([
      ['messages', maxIdsInChunk],
      ['messages', 1],
      ['claims', 1],
    ]);
    expect(summary).toMatchObject({ messages: maxIdsInChunk + 1, claims: 1 });
    expect(collected([...losses, loss('c', 'claims')]).summary.digest).toBe(summary.digest);
    expect(collected([...losses, loss('c')]).summary.digest).not.toBe(summary.digest);
  });

  it('extends from the first to the last event that names one', () => {
    const later = '2026-11-20T11:06:00.000Z' as Instant;
    const { summary } = collected([
      { ...loss('b', 'messages', 9n), recordedAt: later },
      loss('a', 'claims', 3n),
    ]);
    expect(summary).toMatchObject({ fromPosition: '3', toPosition: '9', from: at, to: later });
  });

  it('has no effect by itself', async () => {
    const { list, accepted } = begin();
    await list([loss('a')]);
    expect(await (await accepted()).covers('messages', 'a', 1n)).toBe(false);
  });
});

describe('accepted losses (AUD-32)', () => {
  const anyId = fc.uuid();

  it('are exactly the ids of the accepted lists, in any order and number', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(anyId, { minLength: 1, maxLength: 20 }), { maxLength: 8 }),
        fc.array(anyId, { maxLength: 20 }),
        async (parts, others) => {
          const { pipeline, confirm, accepted } = begin();
          const chunks = parts.map((ids): LossChunk => ({ kind: 'messages', ids: ids.sort() }));
          const handler = new ListLossesHandler(pipeline);
          const list = await handler.execute(new ListLosses(each(chunks), metadata));
          const digest = chunks.reduce(
            (before, { kind, ids }) => sha256Hex([before, kind, ...ids, ''].join('\n')),
            '',
          );
          const all = new Set(parts.flat());
          const details = { list, digest, messages: parts.flat().length, claims: 0 };
          await confirm({ ...details, fromPosition: '1', toPosition: '2', from: at, to: at });
          const losses = await accepted();
          for (const id of [...all, ...others]) {
            expect(await losses.covers('messages', id, 1n)).toBe(all.has(id));
            expect(await losses.covers('claims', id, 1n)).toBe(false);
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  it('add up over several lists', async () => {
    const { accept, accepted } = begin();
    await accept([loss('a'), loss('c', 'claims')]);
    await accept([loss('b')]);
    const losses = await accepted();
    for (const [id, isCovered] of [
      ['a', true],
      ['b', true],
      ['c', false],
    ] as const)
      expect(await losses.covers('messages', id, 1n)).toBe(isCovered);
    expect(await losses.covers('claims', 'c', 1n)).toBe(true);
  });

  it('exclude a list that grew after it was accepted, and the list is named', async () => {
    const { accept, accepted, pipeline } = begin();
    const { list } = await accept([loss('a')]);
    const step = { types: { LossesListed: { version: 1 } }, stream: lossListStream(list) };
    const more = { type: 'LossesListed', data: { kind: 'messages', ids: ['b'] } };
    await pipeline.note({ ...step, metadata }, more);
    const losses = await accepted();
    for (const id of ['a', 'b']) expect(await losses.covers('messages', id, 1n)).toBe(false);
    expect(losses.broken).toEqual([lossListStream(list)]);
  });

  it('exclude events outside the range that both admins saw', async () => {
    const { accept, accepted } = begin();
    await accept([loss('a', 'messages', 5n), { ...loss('b', 'messages', 7n), lastPosition: 9n }]);
    const losses = await accepted();
    for (const [position, isCovered] of [
      [4n, false],
      [5n, true],
      [9n, true],
      [10n, false],
    ] as const)
      expect([position, await losses.covers('messages', 'a', position)]).toEqual([
        position,
        isCovered,
      ]);
  });

  it('exclude a list that another person than the proposer wrote', async () => {
    const { list, two, subject, accepted, pipeline } = begin();
    const details = await list([loss('a')]);
    const other = { ...two(details), proposedBy: 'joseph', confirmedBy: 'rehema' } as Decided;
    expect(await subject.carryOut(details, other, metadata)).toEqual({
      ok: false,
      refusal: 'other_list',
    });
    const data = { ...details, proposedBy: 'joseph', confirmedBy: 'rehema' };
    const note = { types: { LossesAccepted: { version: 1 } }, stream: lossesStream, metadata };
    await pipeline.note(note, { type: 'LossesAccepted', data });
    expect(await (await accepted()).covers('messages', 'a', 1n)).toBe(false);
    expect((await accepted()).broken).toEqual([lossListStream(details.list)]);
  });

  it('exclude a list that only one person accepted', async () => {
    const { list, accepted, pipeline } = begin();
    const details = await list([loss('a')]);
    const data = { ...details, proposedBy: 'asha', confirmedBy: 'asha' };
    const note = { types: { LossesAccepted: { version: 1 } }, stream: lossesStream, metadata };
    await pipeline.note(note, { type: 'LossesAccepted', data });
    expect(await (await accepted()).covers('messages', 'a', 1n)).toBe(false);
    expect((await accepted()).broken).toEqual([lossListStream(details.list)]);
  });
});

describe('accepting a list (AUD-34)', () => {
  it('needs two admins in every mode, and names both', async () => {
    const { subject, list, confirm, log } = begin();
    const details = await list([loss('a'), loss('c', 'claims')]);
    const weighed = await subject.weigh(details);
    expect(weighed).toMatchObject({ value: { needsTwo: true, seen: details.digest } });
    expect(await subject.carryOut(details, { by: 'one' }, metadata)).toEqual({
      ok: false,
      refusal: 'second_admin_needed',
    });
    expect(await confirm(details)).toEqual({ ok: true, value: { messages: 1, claims: 1 } });
    const noted = log.streams.get(lossesStream)?.map(({ data }) => data);
    expect(noted).toEqual([{ ...details, proposedBy: 'asha', confirmedBy: 'joseph' }]);
  });

  it('is safe to repeat', async () => {
    const { list, confirm, log } = begin();
    const details = await list([loss('a')]);
    await confirm(details);
    expect(await confirm(details)).toMatchObject({ ok: true });
    expect(log.streams.get(lossesStream)).toHaveLength(1);
  });

  it('is refused if the records have one of its messages again', async () => {
    const { subject, list, confirm, records } = begin();
    const details = await list([loss('a'), loss('b')]);
    records.there.add('b');
    expect(await subject.weigh(details)).toEqual({ ok: false, refusal: 'found_again' });
    expect(await confirm(details)).toEqual({ ok: false, refusal: 'found_again' });
  });

  it('is refused if the list is not the one that both saw', async () => {
    const { subject, list, two, confirm } = begin();
    const details = await list([loss('a')]);
    const other = await list([loss('a'), loss('b')]);
    expect(await confirm({ ...details, list: other.list })).toMatchObject({
      refusal: 'other_list',
    });
    // The proposal's row was changed as a whole, but not the values that the two saw.
    expect(await subject.carryOut(other, two(details), metadata)).toMatchObject({
      refusal: 'changed',
    });
    const empty = { ...details, messages: 0, list: 'none' };
    expect(await subject.weigh(empty)).toMatchObject({ refusal: 'empty' });
  });
});
