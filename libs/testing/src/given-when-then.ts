import { expect } from '@jest/globals';
import { type CollectionIntentRecorded } from '#domain/collections';
import { type Decider, type EventMetadata, type EventRecord, fold } from '#domain/event-sourcing';
import { ok, refuse, type Result } from '#domain/kernel';

const appendedWith: EventMetadata = {
  v: 1,
  correlationId: 'r-1',
  actor: { kind: 'system', id: 'spec' },
  commitment: 'c0ffee',
};

/** The state after events, as if they had been appended. */
export function stateOf<State, E extends EventRecord>(
  decider: Decider<State, E>,
  events: readonly E[],
  {
    metadata = appendedWith,
    from = decider.initial,
  }: {
    readonly metadata?: EventMetadata;
    readonly from?: State;
  } = {},
): State {
  return fold(
    decider,
    events.map((event) => ({ ...event, metadata })),
    from,
  );
}

/** Tests one decision: `given(events).when(command).then(events)`, or `.then(refusal)`. */
export function givenFor<State, E extends EventRecord, Command, Refusal extends string>(
  decider: Decider<State, E>,
  decide: (command: Command, state: State) => Result<readonly E[], Refusal>,
) {
  return (...events: readonly E[]) => ({
    when(command: Command) {
      const result = decide(command, stateOf(decider, events));
      return {
        then(expected: readonly E[] | Refusal): void {
          expect(result).toEqual(typeof expected === 'string' ? refuse(expected) : ok(expected));
        },
      };
    },
  });
}

/** The first event of a collection of KES 100.00. */
export function collectionIntent(
  over: Partial<CollectionIntentRecorded['data']> = {},
): CollectionIntentRecorded {
  return {
    type: 'CollectionIntentRecorded',
    data: {
      merchantId: 'm',
      mode: 'demo',
      accountNo: '1001',
      currency: 'KES',
      amountMinor: 10_000n,
      feeMinor: 150n,
      channel: 'mpesa',
      reference: 'INV-1',
      accountReference: 'ABCDEFGHJKMN',
      phoneHmac: 'h',
      phoneMasked: '2547*****678',
      origin: 'v4',
      ...over,
    },
  };
}
