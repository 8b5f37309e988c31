import { collectionIntent, stateOf } from '#testing';
import { expect, it } from '@jest/globals';
import { type Instant } from '#domain/kernel';
import { type CollectionEvent } from './collection.events.js';
import { collectionDecider } from './collection.js';

const metadata = {
  v: 1,
  correlationId: 'r-1',
  actor: { kind: 'credential', id: 'k' },
  commitment: 'c0ffee',
} as const;
const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const later: readonly CollectionEvent[] = [
  { type: 'RailPushAccepted', data: { railReference: 'ws_CO_1', merchantRequestId: 'mr-1' } },
  { type: 'RailDeclined', data: { by: 'callback', failureCode: 'cancelled' } },
  {
    type: 'RailConfirmed',
    data: { by: 'callback', resultCode: '0', paidAt: '2026-11-21T08:00:00.000Z' as Instant },
  },
];

it('a collection keeps the trace of its request, through a failure and through appends by others', () => {
  const of = (begun: typeof metadata & { readonly traceparent?: string }) => {
    const from = stateOf(collectionDecider, [collectionIntent()], { metadata: begun });
    return collectionDecider.traceOf?.(stateOf(collectionDecider, later, { metadata, from }));
  };
  expect(of({ ...metadata, traceparent })).toBe(traceparent);
  expect(of(metadata)).toBeUndefined();
  expect(collectionDecider.traceOf?.(collectionDecider.initial)).toBeUndefined();
});
