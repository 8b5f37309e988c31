import { assertNever } from '#domain/kernel';
import { type Collection } from '../collection.js';
import { type CollectionEvent, type RailPushAccepted } from '../collection.events.js';
import { type PushAnswer } from '../rail.js';

/**
 * What an answer to the push adds to history. An answer that comes after the callback still tells the
 * rail's reference; a refusal after money arrived changes nothing.
 */
export function decideRecordPushOutcome(
  answer: PushAnswer,
  state: Collection,
): readonly CollectionEvent[] {
  if (state.status === 'none' || state.push.kind !== 'unknown') return [];
  switch (answer.kind) {
    case 'accepted':
      return [pushAccepted(answer)];
    case 'refused':
      return state.status === 'pending'
        ? [{ type: 'RailPushRejected', data: { failureCode: answer.failureCode } }]
        : [];
    default:
      return assertNever(answer);
  }
}

/** That the rail took the push, whether its own answer or a later report says so. */
export function pushAccepted({
  railReference,
  merchantRequestId,
}: {
  readonly railReference: string;
  readonly merchantRequestId?: string;
}): RailPushAccepted {
  return {
    type: 'RailPushAccepted',
    data: { railReference, ...(merchantRequestId === undefined ? {} : { merchantRequestId }) },
  };
}
