import {
  collectionDecider,
  type CollectionEvent,
  type RecordedCollection,
} from '#domain/collections';
import { fold, type RecordedEvent } from '#domain/event-sourcing';
import { type Instant } from '#domain/kernel';
import { type CaseFile } from '#records/rails';
import { describe, expect, it } from '@jest/globals';
import { collectionIntent } from '#testing';
import { collectionActions } from './next-actions.js';
import { RailSchedule } from './rail-schedule.js';

const secondMs = 1000;
const hourMs = 3_600_000;
const schedule = new RailSchedule([75 * secondMs, 180 * secondMs], 48 * hourMs);
const intentAt = '2026-11-20T09:00:00.000Z' as Instant;
const ms = Date.parse(intentAt);
const reviewed = { by: 'service', at: '2026-11-22T09:00:00.000Z' };

const intent = collectionIntent();
const accepted: CollectionEvent = { type: 'RailPushAccepted', data: { railReference: 'ws_1' } };

function given(events: readonly CollectionEvent[], file: Partial<CaseFile> = {}) {
  const recorded = events.map((event, index) => ({
    ...event,
    id: String(index),
    stream: 's',
    revision: BigInt(index),
    position: BigInt(index),
    recordedAt: intentAt,
    metadata: { v: 1, correlationId: 'c', actor: { kind: 'system', id: 's' }, commitment: 'c' },
  })) as readonly RecordedEvent<CollectionEvent>[];
  const state = fold(collectionDecider, recorded) as RecordedCollection;
  return collectionActions(
    { events: recorded, state, file: { queries: [], inbox: [], messages: [], ...file } },
    schedule,
  );
}

const query = (attempt: number, afterMs: number, outcome = 'unresolved') => ({
  attempt,
  attemptedAt: new Date(ms + afterMs),
  outcome,
});

describe('the next action', () => {
  it('is the first query, its delay after the intent', () => {
    expect(given([intent, accepted])).toMatchObject([
      { by: 'service', code: 'asks_rail', values: [1, 2], at: '2026-11-20T09:01:15.000Z' },
      reviewed,
    ]);
  });

  it.each([
    ['its delay after the intent', 75 * secondMs, '2026-11-20T09:03:00.000Z'],
    ['the delays’ gap after a question that came late', 170 * secondMs, '2026-11-20T09:04:35.000Z'],
  ])('is the next query, %s', (_when, askedAfterMs, at) => {
    const queries = [query(1, askedAfterMs), query(2, askedAfterMs, 'asking')];
    expect(given([intent, accepted], { queries })[0]).toMatchObject({
      code: 'asks_rail',
      values: [2, 2],
      at,
    });
  });

  it.each([
    ['all queries were made', [intent, accepted], [query(1, 0), query(2, 0)], 'all_queries_made'],
    ['nobody knows whom to ask about', [intent], [], 'waits_for_callback'],
  ])('is a callback or a review if %s', (_when, events, queries, why) => {
    expect(given(events, { queries })).toMatchObject([{ by: 'service', code: why }, reviewed]);
  });

  it('is a person’s decision under review', () => {
    const silent: CollectionEvent = { type: 'ReviewFlagged', data: { why: 'no_word_from_rail' } };
    expect(given([intent, accepted, silent])).toMatchObject([{ by: 'person' }]);
  });

  it('is none after a failure, but money that arrives is posted', () => {
    const declined: CollectionEvent = {
      type: 'RailDeclined',
      data: { by: 'query', failureCode: 'cancelled' },
    };
    expect(given([intent, declined])).toMatchObject([{ by: 'nobody', code: 'failed' }]);
  });

  it('is also the next query after a decline, as long as there is one', () => {
    const declined: CollectionEvent = {
      type: 'RailDeclined',
      data: { by: 'callback', failureCode: 'no_answer' },
    };
    const late = { by: 'nobody', code: 'failed' };
    expect(given([intent, accepted, declined])).toMatchObject([
      { by: 'service', code: 'asks_rail', values: [1, 2] },
      late,
    ]);
    const queries = [query(1, 0, 'declined:no_answer'), query(2, 0, 'declined:no_answer')];
    expect(given([intent, accepted, declined], { queries })).toMatchObject([late]);
  });

  it('is also the next try of a callback that waits in the inbox', () => {
    const waiting = {
      id: 'i',
      stream: 's',
      sourceAddress: '127.0.0.1',
      trusted: true,
      receivedAt: new Date(ms),
      attempts: 2,
      nextAttemptAt: new Date(ms + secondMs),
      appliedAt: null,
      outcome: 'not_vouched',
      told: false,
      toldReceipt: null,
      toldMinor: null,
      toldPaidAt: null,
    };
    const applied = { ...waiting, appliedAt: new Date(ms), outcome: 'completed' };
    const actions = given([intent, accepted], { inbox: [applied, waiting] });
    expect(actions.slice(2)).toEqual([
      {
        by: 'service',
        code: 'tries_callback',
        values: [intentAt, 'not_vouched'],
        at: '2026-11-20T09:00:01.000Z',
      },
    ]);
  });
});
