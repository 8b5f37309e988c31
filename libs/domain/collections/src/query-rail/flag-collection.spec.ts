import { describe, expect, it } from '@jest/globals';
import { collectionIntent, givenFor, stateOf } from '#testing';
import { type Collection, collectionDecider } from '../collection.js';
import { type CollectionEvent } from '../collection.events.js';
import { decideConfirmCollection } from '../confirm/confirm-collection.decide.js';
import { decideRecordPushOutcome } from '../initiate/initiate-collection.decide.js';
import { decideFlagCollection, type FlagReason } from './flag-collection.decide.js';

const intent = collectionIntent();
const declined: CollectionEvent = {
  type: 'RailDeclined',
  data: { by: 'query', failureCode: 'cancelled' },
};
const flagged = (why: FlagReason): CollectionEvent => ({ type: 'ReviewFlagged', data: { why } });
const after = (...events: readonly CollectionEvent[]): Collection =>
  stateOf(collectionDecider, events);
const given = givenFor(collectionDecider, decideFlagCollection);
const report = {
  by: 'query',
  railReference: 'ws_CO_1',
  verdict: { kind: 'paid', resultCode: '0' },
} as const;
const told = (state: Collection): readonly CollectionEvent[] => {
  const decided = decideConfirmCollection(report, state, undefined);
  return decided.ok ? decided.value : [];
};
const paid = [intent, ...told(after(intent))];

describe.each<[FlagReason, readonly CollectionEvent[], readonly (readonly CollectionEvent[])[]]>([
  ['no_word_from_rail', [intent], [[intent, declined], paid]],
  ['amount_unreadable', paid, [[intent], [intent, declined]]],
])('a collection is listed for review because of %s', (why, due, others) => {
  it('once', () => {
    given(...due)
      .when(why)
      .then([flagged(why)]);
    given(...due, flagged(why))
      .when(why)
      .then([]);
  });

  it('only while that holds', () => {
    for (const other of others)
      given(...other)
        .when(why)
        .then([]);
    given().when(why).then('unknown_collection');
  });
});

describe('a collection that is under review because nothing was heard of it', () => {
  const silent = after(intent, flagged('no_word_from_rail'));

  it.each<FlagReason>(['checkout_of_another', 'found_at_rail'])(
    'is listed again if there is other money to judge: %s',
    (why) => {
      const events = [intent, flagged('no_word_from_rail')];
      given(...events)
        .when(why)
        .then([flagged(why)]);
      given(...events, flagged(why), flagged('no_word_from_rail'))
        .when(why)
        .then([]);
    },
  );

  it('is not opened again by an operator', () => {
    given(intent, flagged('no_word_from_rail')).when('opened_by_operator').then([]);
  });

  it('is still settled by a later report', () => {
    expect(told(silent).map(({ type }) => type)).toEqual(['RailConfirmed', 'WalletPosted']);
  });

  it('still learns its rail reference from the push’s own late answer', () => {
    const answer = { kind: 'accepted', railReference: 'ws_CO_1' } as const;
    expect(decideRecordPushOutcome(answer, silent)).toMatchObject([{ type: 'RailPushAccepted' }]);
  });
});

describe('a collection whose receipt another stream has', () => {
  const confirmed: CollectionEvent = {
    type: 'RailConfirmed',
    data: { by: 'callback', resultCode: '0', receipt: 'NLJ7RT61SV' },
  };

  it('is listed for that once, even if it is under review for something else', () => {
    const [own, other] = [flagged('duplicate_receipt'), flagged('amount_unreadable')];
    given(intent, confirmed).when('duplicate_receipt').then([own]);
    given(intent, confirmed, other).when('duplicate_receipt').then([own]);
    given(intent, confirmed, own).when('duplicate_receipt').then([]);
    given(intent, confirmed, own, other).when('duplicate_receipt').then([]);
  });

  it('is listed for that only if it has a receipt', () => {
    given(intent).when('duplicate_receipt').then([]);
  });
});
