import { describe, expect, it } from '@jest/globals';
import {
  collectionDecider,
  type CollectionEvent,
  collectionStream,
  type RecordedCollection,
} from '#domain/collections';
import { fold, type RecordedEvent } from '#domain/event-sourcing';
import { type Instant, instantFromMs } from '#domain/kernel';
import { type HeldRole, roleFrom, type RoleSince, type RoleTerms } from '#domain/people';
import {
  type Cases,
  type CollectionCase,
  type NextAction,
  type PartStanding,
} from '#desk/operators';
import { type StoredReviewProposal } from '#records/reviews';
import { transactionFrom } from '#views/transactions';
import { collectionIntent, foreignMarkup, HandMadeLog, hostile } from '#testing';
import { type Viewer } from '../access/viewer.js';
import { correctionPage, correctionsPage, newCorrection } from './corrections-page.js';
import { readOpening, readRuling, seenOf } from './decision-form.js';
import { offeredDecisions } from './bulk-choice.js';
import { bulkChoicePage } from './bulk-choice-page.js';
import { CorrectionForms } from './correction-forms.js';
import { correctLink } from './correct-link.js';
import { readTerms } from './correction-form.js';
import { correctionTermsRows, itemRows } from './fact-rows.js';
import { newCorrectionPage } from './new-correction-page.js';
import { merchantsPage } from './merchants-page.js';
import { findPage } from './find-page.js';
import { grantPage } from './grant-page.js';
import { itemPage } from './item-page.js';
import { type PageContext } from './page-context.js';
import { proposalRows, type ShownProposal } from './proposals-page.js';
import { reviewsPage } from './reviews-page.js';
import { rolesPage } from './roles-page.js';
import { daysUntil, homeFigures } from '../merchant/home/home-figures.js';
import { statusPage } from './status-page.js';
import { type Platform } from './status-parts.js';
import { english } from './operator-texts.en.js';
import { operatorTextsOf } from './texts-of.js';
import { swahili } from './operator-texts.sw.js';
import { timelineList } from './timeline-list.js';
import { timelineOf } from './timeline.js';
import { outcomesPage } from './bulk-decisions-page.js';
import { waitingPage } from './waiting-page.js';

const now = new Date('2026-11-22T12:00:00.000Z');
const issuer = 'https://id.example';
const idOf = (subject: string): string => `${issuer}#${subject}`;

function context(
  subject = 'joseph',
  roles: readonly HeldRole[] = [{ role: 'finance' }],
): PageContext {
  const viewer: Viewer = {
    person: { issuer, subject },
    name: hostile,
    roles,
    language: 'en',
    formToken: 'token',
    sessionHash: Buffer.alloc(32),
    merchant: undefined,
  };
  return { viewer, texts: operatorTextsOf(viewer), zone: 'Africa/Nairobi', now };
}

function roleProposal(terms: RoleTerms, proposedBy: string): ShownProposal {
  const { person, name, role, merchantId } = terms;
  return {
    id: 'r',
    kind: 'role',
    about: person,
    ...(merchantId === undefined ? {} : { merchantId }),
    details: { person, name, role, ...(merchantId === undefined ? {} : { merchantId }) },
    seen: '',
    reason: hostile,
    proposedBy,
    proposedAt: now.toISOString() as Instant,
    endsAt: now.toISOString() as Instant,
    rows: [
      { field: 'name', value: name },
      { field: 'person', value: person },
      { field: 'role', value: role },
    ],
  };
}

const proposal: StoredReviewProposal = {
  id: '0199c1f0-9c3f-7a2b-8e4d-1f2a3b4c5d6e',
  mode: 'demo',
  decision: 'paid',
  stream: collectionStream({ mode: 'demo', merchantId: 'm', reference: 'INV-1' }),
  receipt: 'NLJ7RT61SV',
  amountMinor: 10_000n,
  paidAt: null,
  reason: hostile,
  revision: null,
  proposedBy: idOf('amina'),
  proposedAt: now,
  endedAt: null,
  outcome: null,
  endedBy: null,
  endReason: null,
};

/** A collection under review with every fact known, in which each text comes from outside. */
function underReview(proposals: readonly StoredReviewProposal[] = [proposal]): CollectionCase {
  const events: CollectionEvent[] = [
    collectionIntent({ reference: 'INV-1', phoneMasked: hostile }),
    { type: 'RailPushAccepted', data: { railReference: hostile } },
    { type: 'ReviewFlagged', data: { why: 'no_word_from_rail' } },
  ];
  const key = { mode: 'demo', merchantId: 'm', reference: 'INV-1' } as const;
  const recorded: readonly RecordedEvent<CollectionEvent>[] = new HandMadeLog()
    .append(collectionStream(key), ...events)
    .map((event) => ({ ...event, metadata: { ...event.metadata, commitment: 'c0ffee' } }));
  const item = transactionFrom(recorded);
  if (!item) throw new TypeError('the events make an item');
  const row = {
    id: hostile,
    stream: 's',
    sourceAddress: hostile,
    trusted: false,
    receivedAt: now,
    attempts: 2,
    nextAttemptAt: now,
    appliedAt: null,
    outcome: hostile,
    told: false,
    toldReceipt: null,
    toldMinor: null,
    toldPaidAt: null,
  };
  return {
    type: 'collection',
    key,
    events: recorded,
    item,
    proposals,
    state: fold(collectionDecider, recorded) as RecordedCollection,
    file: {
      queries: [{ attempt: 1, attemptedAt: now, outcome: hostile }],
      inbox: [row],
      messages: [{ id: hostile, receivedAt: now }],
    },
  };
}

const delivery = {
  eventId: 'e',
  kind: 'v4',
  type: hostile,
  owedAt: now,
  attempts: 1,
  outcome: 'delivered',
  endedAt: now,
  nextAttemptAt: null,
};
const next: NextAction = {
  by: 'service',
  code: 'tries_callback',
  at: now.toISOString() as Instant,
  values: [now.toISOString(), hostile],
};

/** The same review of another item in another state. */
function withState(found: CollectionCase, reference: string, over: object): CollectionCase {
  const state: CollectionCase['state'] = { ...found.state, ...over };
  return { ...found, key: { ...found.key, reference }, state };
}

function shown(found = underReview(), by = context()): string {
  const entries = timelineOf(found, [delivery]);
  return itemPage({ found, next: [next], entries, now }, by).text;
}

/** Expects that the page has no markup but ours. */
function expectEscaped(text: string): void {
  expect(text).toContain('&lt;script&gt;');
  expect(foreignMarkup(text)).toEqual([]);
}

describe('the page of a collection or payout', () => {
  it('shows hostile names, references and reasons as text', () => {
    expectEscaped(shown());
  });

  it('shows every kind of step in chronological order', () => {
    const kinds = timelineOf(underReview(), [delivery]).map(({ what }) => what.kind);
    expect(kinds.slice(0, 3)).toEqual(['event', 'event', 'event']);
    expect(new Set(kinds)).toEqual(
      new Set(['event', 'query', 'callback', 'proposed', 'owed', 'delivery_ended']),
    );
    const instants = timelineOf(underReview(), [delivery]).map(({ at }) => at.getTime());
    expect(instants).toEqual(instants.toSorted((one, other) => one - other));
  });

  it('folds each stored message into the step that it led to', () => {
    const entries = timelineOf(underReview(), [delivery]);
    expect(entries.flatMap(({ messages = [] }) => messages)).toEqual([hostile]);
    const { text } = timelineList(entries, {
      ...context(),
      type: 'collection',
      currency: 'KES',
    });
    expect(text.indexOf(english.timeline.message)).toBeGreaterThan(text.indexOf('<details>'));
  });

  it('has the receipt and the amount of a step on one line', () => {
    const paid: CollectionEvent = {
      type: 'RailConfirmed',
      data: { by: 'callback', resultCode: '0', receipt: 'NLJ7RT61SV', amountMinor: 10_001n },
    } as unknown as CollectionEvent;
    const events = new HandMadeLog().append('collection-demo:m:INV-1', paid);
    const entries = timelineOf({ ...underReview([]), events }, []);
    const { text } = timelineList(entries, { ...context(), type: 'collection', currency: 'KES' });
    expect(text.replaceAll(/<[^>]*>/g, '')).toMatch(/Receipt NLJ7RT61SV\s*·\s*KES 100\.01/);
  });

  it('names the rail that reported a step by its brand', () => {
    const sent = { type: 'RailPushStarted', data: {} } as unknown as CollectionEvent;
    const events = new HandMadeLog().append('collection-demo:m:INV-1', sent).map((event) => ({
      ...event,
      metadata: { ...event.metadata, actor: { kind: 'rail', id: 'mpesa' } as const },
    }));
    const entries = timelineOf({ ...underReview([]), events }, []);
    const { text } = timelineList(entries, { ...context(), type: 'collection', currency: 'KES' });
    expect(text).toContain('by M-Pesa');
  });

  it('lets another than the proposer confirm, and says so to the proposer', () => {
    const confirm = `action="/portal/items/demo/m/collection/INV-1/confirm"`;
    expect(shown()).toContain(confirm);
    // A portal always has an issuer, and then `--as` is refused (PEO-11).
    expect(shown()).toMatch(/<code>npx pesapost review confirm INV-1 [^<]*<\/code>/);
    expect(shown()).not.toContain('--as');
    const own = shown(underReview(), context('amina'));
    expect(own).not.toContain(confirm);
    expect(own).toContain(english.item.waitsForOther);
  });

  it('folds the form for another decision while a proposal is open', () => {
    expect(shown()).toMatch(/<details class="card" id="decide"\s*>/);
    expect(shown()).toContain(english.item.decideOtherwise);
    expect(shown(underReview([]))).toMatch(/<section class="card" id="decide"/);
  });

  it('has no form for people whose roles do not let them decide', () => {
    const text = shown(underReview(), context('joseph', [{ role: 'viewer' }]));
    expect(text).not.toContain('<form');
    expect(text).toContain(english.item.decideNotYours);
  });

  it('has one form with a choice of the possible decisions and one reason, and preselects none', () => {
    const text = shown();
    const ids = [...text.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id);
    const named = ['decision-paid', 'decision-failed', 'paid_receipt', 'reason'];
    expect(ids).toEqual(expect.arrayContaining(named));
    expect(new Set(ids).size).toBe(ids.length);
    expect(text.match(/action="[^"]*\/resolve"/g)).toHaveLength(1);
    expect(text).not.toMatch(/type="radio"[^>]*\schecked/);
  });

  it('binds a decision to what was seen: another event, another proposal', () => {
    const found = underReview();
    const [, ...later] = found.events;
    const seen = new Set([
      seenOf(found),
      seenOf(underReview([])),
      seenOf({ ...found, events: [...found.events, ...later.slice(0, 1)] }),
    ]);
    expect(seen.size).toBe(3);
  });
});

describe('a decision as it is typed', () => {
  const values = (said: Readonly<Record<string, string>>) => new URLSearchParams(said);

  it('is a ruling with its payment and its reason', () => {
    const said = { paid_receipt: ' nlj7rt61sv', paid_amount: '25000', reason: 'line 12' };
    expect(readRuling('paid', values(said), english)).toEqual({
      ok: true,
      value: {
        ruling: { decision: 'paid', payment: { receipt: 'NLJ7RT61SV', amountMinor: 25_000n } },
        reason: 'line 12',
      },
    });
    expect(readRuling('failed', values({ reason: 'gone' }), english)).toMatchObject({
      value: { ruling: { decision: 'failed' } },
    });
  });

  it.each([
    ['no reason', { paid_receipt: 'NLJ7RT61SV', paid_amount: '1' }, 'reason'],
    [
      'a phone number for a reason',
      { paid_receipt: 'NLJ7RT61SV', paid_amount: '1', reason: '254712345678' },
      'reason',
    ],
    ['no amount', { paid_receipt: 'NLJ7RT61SV', reason: 'x' }, 'paid_amount'],
    ['half a shilling', { paid_receipt: 'A1B2C3', paid_amount: '0.5', reason: 'x' }, 'paid_amount'],
  ])('is refused with %s, at its field', (_what, said: Record<string, string>, field) => {
    expect(readRuling('paid', values(said), english)).toMatchObject({
      ok: false,
      refusal: { fields: [{ field }] },
    });
  });

  it('opens a review with a payment whose time has its zone', () => {
    const said = { open_receipt: 'NLJ7RT61SV', open_amount: '1', open_reason: 'x' };
    expect(
      readOpening(values({ ...said, open_paid_at: '2026-11-20T10:15:00' }), english),
    ).toMatchObject({
      refusal: { fields: [{ field: 'open_paid_at' }] },
    });
    expect(
      readOpening(values({ ...said, open_paid_at: '2026-11-20T10:15:00+03:00' }), english),
    ).toMatchObject({ value: { payment: { paidAt: '2026-11-20T07:15:00.000Z' } } });
  });
});

describe('an item with an open proposal', () => {
  it('says who it waits for and when it expires, and no step that its card already has', () => {
    const { text } = itemPage(
      { found: underReview(), next: [{ by: 'person', code: 'decides_review' }], entries: [], now },
      context(),
    );
    expect(text).toContain(english.item.waitsUntil);
    expect(text).toContain('datetime="2026-11-23T12:00:00.000Z"');
    expect(text).not.toContain(english.next.decides_review());
  });
});

describe('the lists', () => {
  const filter = { why: '', mode: '', merchant: hostile };
  const review = {
    stream: proposal.stream,
    position: 7n,
    merchantId: hostile,
    mode: 'demo' as const,
    reference: hostile,
    why: 'second_receipt' as const,
    flaggedAt: now.toISOString() as Instant,
    status: 'completed',
    requestedMinor: 1n,
    currency: 'KES',
    heldMinor: null,
    receipt: null,
    proposal: { decision: hostile, proposedBy: hostile },
  } as const;
  const asOf = now.toISOString() as Instant;

  it('show reviews, with the way to what is behind the last of a page', () => {
    const missed = [
      {
        mode: 'demo' as const,
        receipt: hostile,
        amountMinor: 1n,
        paidAt: asOf,
        stream: proposal.stream,
        why: 'not_settled',
      },
    ];
    const told = [
      {
        id: 'c-1',
        stream: 'payout-demo:m:PAY-7',
        sourceAddress: hostile,
        trusted: true,
        receivedAt: now,
        attempts: 1,
        nextAttemptAt: now,
        appliedAt: now,
        outcome: 'left_for_review: paid_unsent',
        told: true,
        toldReceipt: hostile,
        toldMinor: 25_000n,
        toldPaidAt: now,
      },
    ];
    const toldAt = new Date('2026-11-19T03:04:05.000Z');
    const page = { reviews: [review], more: true, asOf, filter, missed, unposted: told };
    const { text } = reviewsPage(page, context());
    expectEscaped(text);
    expect(text).toContain(english.reviews.toldCaption);
    expect(text).toContain('href="/portal/items/demo/m/payout/PAY-7"');
    const facts = { toldReceipt: 'NLJ7RT61SV', toldMinor: 123_456n, toldPaidAt: toldAt };
    const [known, unknown] = [facts, { toldReceipt: null, toldMinor: null, toldPaidAt: null }].map(
      (of) =>
        reviewsPage({ ...page, unposted: told.map((row) => ({ ...row, ...of })) }, context()).text,
    );
    for (const fact of ['NLJ7RT61SV', 'KES 1,234.56', toldAt.toISOString()])
      expect([fact, known?.includes(fact), unknown?.includes(fact)]).toEqual([fact, true, false]);
    expect(text).toContain('after=7');
    expect(text).toContain('href="/portal/items/demo/m/collection/INV-1"');
    const boxes = (of: string) => of.match(/type="checkbox"/g)?.length ?? 0;
    expect(boxes(text)).toBe(2);
    const viewer = reviewsPage(page, context('vera', [{ role: 'viewer' }])).text;
    expect([boxes(viewer), viewer.includes('together')]).toEqual([0, false]);
    const empty = reviewsPage(
      { ...page, reviews: [], more: false, missed: [], unposted: [] },
      context(),
    );
    expect(empty.text).toContain(english.reviews.emptyTodo);
  });

  it('show payments that only a report shows, with their sender, in both languages', () => {
    const row = {
      id: 'c-2',
      stream: 'c2b-live:mpesa:NLJ7RT61SV',
      sourceAddress: hostile,
      trusted: true,
      receivedAt: now,
      attempts: 1,
      nextAttemptAt: now,
      appliedAt: now,
      outcome: 'left_for_review: other_short_code',
      told: true,
      toldReceipt: hostile,
      toldMinor: 123_456n,
      toldPaidAt: now,
    };
    const page = { reviews: [], more: false, asOf, filter, missed: [] };
    const { text } = reviewsPage({ ...page, unposted: [row] }, context());
    expectEscaped(text);
    const { reviews: words } = english;
    for (const fact of [words.reportedCaption, words.reportedWhy.other_short_code, 'KES 1,234.56'])
      expect(text).toContain(fact);
    expect(text).toContain(words.railItself);
    expect(text).not.toContain(words.reportedByOthers);
    const foreign = { ...row, trusted: false, outcome: 'left_for_review: not_from_rail' };
    const others = reviewsPage({ ...page, unposted: [foreign] }, context()).text;
    for (const fact of [words.otherSender, words.reportedByOthers, words.reportedWhy.not_from_rail])
      expect(others).toContain(fact);
  });

  it('show what arrived beside what was requested, the age, and the sum that is held', () => {
    const hour = new Date(now.getTime() - 65 * 60_000).toISOString() as Instant;
    const held = { ...review, flaggedAt: hour, why: 'amount_mismatch' as const };
    const reviews = [
      { ...held, heldMinor: 10_001n, requestedMinor: 10_000n },
      { ...held, heldMinor: 5_000n, requestedMinor: 4_000n },
      review,
    ];
    const page = { more: false, asOf, filter, missed: [], unposted: [] };
    const { text } = reviewsPage({ ...page, reviews }, context());
    expect(text).toContain(`${english.item.arrived} (KES)`);
    for (const amount of ['100.01', '100.00', '50.00']) expect(text).toContain(`>${amount}<`);
    expect(text.match(/<tfoot[^]*<\/tfoot>/)?.[0]).toContain('150.01');
    expect(text).toContain('1 h 5 min');
    expect(text).toContain(english.reviews.shortCauses.amount_mismatch);
    const heads = (of: string) => of.match(/<th scope="col"[^]*?<\/th>/g) ?? [];
    expect(heads(text)[0]).toContain(english.together.choose);
    const hasHead = (of: string, word: string) => heads(of).some((each) => each.includes(word));
    expect(hasHead(text, english.status)).toBe(false);
    // The mode of all of them is above the list. If they differ, each has its own.
    const marks = (of: string, word: string) => of.split(`${word}</span>`).length - 1;
    const of = { demo: english.modes.demo, live: english.modes.live };
    expect([marks(text, of.demo), marks(text, of.live)]).toEqual([1, 0]);
    const live = { ...review, mode: 'live' as const };
    const mixed = reviewsPage({ ...page, reviews: [review, live] }, context()).text;
    expect([marks(mixed, of.demo), marks(mixed, of.live)]).toEqual([1, 1]);
    expect(mixed).not.toContain('<tfoot');
  });

  it('preselect no decision about several: a person has to choose one', () => {
    const { text } = bulkChoicePage([underReview([])], context());
    expect(text).toContain('type="radio"');
    expect(text).not.toContain('checked');
  });

  it('offer only the decisions that all chosen reviews allow, and else name those left out', () => {
    const silent = underReview([]);
    const held = withState(silent, 'HELD-1', { status: 'in_suspense', arrivedMinor: 10_001n });
    const other = withState(silent, 'HELD-2', { status: 'in_suspense', arrivedMinor: 2n });
    const failed = withState(silent, 'LATE-1', { status: 'failed' });
    const offered = (...found: readonly CollectionCase[]) =>
      offeredDecisions(found).map(({ decision, leftOut }) => [
        decision,
        ...leftOut.map(({ key }) => key.reference),
      ]);
    expect(offered(held, other)).toEqual([['suspense_to_merchant'], ['refunded']]);
    expect(offered(silent, failed)).toEqual([['failed']]);
    expect(offered(silent, held)).toEqual([
      ['failed', 'HELD-1'],
      ['suspense_to_merchant', 'INV-1'],
      ['refunded', 'INV-1'],
    ]);
    const { text } = bulkChoicePage([silent, held], context());
    expect(text).toContain(english.together.leavesOut('HELD-1'));
    expect(text).toContain('KES 200.01');
    expect(text).toMatch(/<span class="badge[^>]*>.*Demo/s);
    expect(bulkChoicePage([silent, failed], context()).text).not.toContain('value="refunded"');
  });

  it('show what the viewer’s roles cannot decide as waiting for another person', () => {
    const none = { corrections: [], payouts: [], batches: [], requests: [], changes: [] };
    const waiting = { ...none, reviews: [proposal], unknown: [], more: false };
    const parts = (of: PageContext) =>
      waitingPage(waiting, of).text.split(`<h2>${english.waiting.others}</h2>`);
    const [yours = '', others = ''] = parts(context('samuel', [{ role: 'support' }]));
    expect(yours).not.toContain('INV-1');
    expect(others).toContain('INV-1');
    expect(others).toContain(english.waiting.needsOther.review);
    expect(others).not.toContain('<form');
    const [decided = '', rest = ''] = parts(context());
    expect(decided).toContain('/decline"');
    expect(rest).not.toContain('INV-1');
    const [, own = ''] = parts(context('amina'));
    expect(own).toContain(english.proposals.withdraw);
  });

  it('show the money of a review before anyone confirms its decision', () => {
    const none = { corrections: [], payouts: [], batches: [], requests: [], changes: [] };
    const waiting = {
      ...none,
      reviews: [{ ...proposal, amountMinor: null }],
      unknown: [],
      more: false,
    };
    const { stream } = proposal;
    const of = {
      stream,
      accountNo: '1001',
      requestedMinor: 10_000n,
      feeMinor: 150n,
      heldMinor: 10_001n,
      currency: 'KES',
      posted: {
        kind: 'to_wallet',
        amountMinor: 10_001n,
        feeMinor: 151n,
        walletMinor: 9_850n,
      },
    } as const;
    const { text } = waitingPage(waiting, context(), new Map([[stream, of]]));
    expect(text).toMatch(/<b><span class="money">KES 100\.01<\/span><\/b>/);
    for (const amount of ['KES 100.00', 'KES 1.51', 'KES 98.50']) expect(text).toContain(amount);
    expect(waitingPage(waiting, context()).text).not.toContain('<b><span class="money">');
  });

  it('show a change that waits, with a form for another admin only', () => {
    const change = {
      id: '0199c1f0-9c3f-7a2b-8e4d-1f2a3b4c5d6f',
      kind: 'limits',
      about: 'm live',
      merchantId: 'm',
      mode: 'live',
      details: null,
      seen: '',
      reason: hostile,
      proposedBy: idOf('amina'),
      proposedAt: asOf,
      endsAt: asOf,
      rows: [{ field: 'payout_max', value: '5000', before: hostile }],
    } as const;
    const none = { reviews: [], corrections: [], payouts: [], batches: [], requests: [] };
    const waiting = { ...none, unknown: [], more: false, changes: [change] };
    const seenBy = (subject: string, role: 'admin' | 'support'): string =>
      waitingPage(waiting, context(subject, [{ role }])).text;
    const [another, own, others] = [
      seenBy('joseph', 'admin'),
      seenBy('amina', 'admin'),
      seenBy('joseph', 'support'),
    ];
    for (const text of [another, own, others]) {
      expectEscaped(text);
      expect(text).toContain(english.proposals.kinds.limits);
      expect(text).toContain(`${english.proposals.fields.payout_max}: 5000`);
    }
    const confirm = 'action="/portal/proposals/confirm"';
    const decline = 'action="/portal/proposals/decline"';
    const forms = [another, own, others].map((text) => [
      text.includes(confirm),
      text.includes(decline),
    ]);
    expect(forms).toEqual([
      [true, true],
      [false, true],
      [false, false],
    ]);
    expect(another).toContain(`name="proposal" value="${change.id}"`);
    const heading = (text: string) => text.slice(text.indexOf(`<h2>${english.waiting.others}`));
    expect([heading(another), heading(own)].map((text) => text.includes('5000'))).toEqual([
      false,
      true,
    ]);
  });

  it('separate what waits for the viewer from what they requested themselves', () => {
    const waiting = {
      reviews: [proposal],
      corrections: [],
      payouts: [],
      batches: [],
      requests: [],
      more: false,
      unknown: [],
      changes: [roleProposal({ role: 'admin', person: 'p', name: hostile }, idOf('joseph'))],
    };
    const { text } = waitingPage(waiting, context());
    expectEscaped(text);
    const [others = '', own = ''] = text.split(`<h2>${english.waiting.others}</h2>`);
    expect(others).toContain('INV-1');
    expect(others).not.toContain(`: admin`);
    expect(own).toContain(`: admin`);
    expect(others).toContain('action="/portal/items/demo/m/collection/INV-1/confirm"');
    expect(waitingPage(waiting, context('amina')).text).not.toContain('/confirm"');
    expect(waitingPage(waiting, context('vera', [{ role: 'viewer' }])).text).not.toContain('<form');
    const admin = waitingPage(waiting, context('amina', [{ role: 'admin' }])).text;
    expect(admin).toContain('action="/portal/proposals/confirm"');
    expect(waitingPage(waiting, context('joseph', [{ role: 'admin' }])).text).not.toContain(
      'action="/portal/proposals/confirm"',
    );
    const none = {
      reviews: [],
      corrections: [],
      payouts: [],
      batches: [],
      requests: [],
      changes: [],
      unknown: [],
      more: false,
    };
    expect(waitingPage(none, context()).text).toContain(english.waiting.emptyTodo);
    const unknown = [{ kind: 'payout', problem: hostile }] as const;
    const partly = waitingPage({ ...none, unknown }, context()).text;
    expectEscaped(partly);
    expect(partly).toContain('Payout: not available now');
    expect(partly).not.toContain(english.waiting.emptyTodo);
  });

  it('show as text anything that waits, has been decided or is held', () => {
    const of = { merchantId: 'm', mode: 'demo', currency: hostile, accountNo: hostile } as const;
    const waits = { since: asOf, amountMinor: 1n, unsettled: 1, underReview: 0, behind: false };
    const payout = {
      ...of,
      ...waits,
      reference: hostile,
      status: hostile,
      step: 'reserved',
    } as const;
    const key = { merchantId: 'm', mode: 'demo', reference: hostile } as const;
    const asked = {
      merchantId: 'm',
      about: hostile,
      reason: hostile,
      askedBy: idOf(hostile),
      askedAt: asOf,
      endsAt: asOf,
      digest: 'd',
      status: 'sent',
    } as const;
    const ofPerson = { merchantId: 'm', person: hostile, name: hostile, role: 'owner' };
    const ofKey = { merchantId: 'm', credentialId: hostile, ipRanges: [hostile] };
    const waiting = {
      reviews: [],
      changes: [],
      requests: [
        { ...asked, id: '1', kind: 'role', details: JSON.stringify(ofPerson) },
        { ...asked, id: '2', kind: 'ip_list', mode: 'live', details: JSON.stringify(ofKey) },
        { ...asked, id: '3', kind: 'credential', mode: 'live', details: '{}' },
      ],
      unknown: [],
      more: true,
      payouts: [
        { ...payout, batch: null, waitingForFloat: false, isPaused: false, underReview: false },
      ],
      batches: [{ ...of, ...waits, key, step: 'requested', count: 2 }],
      corrections: [
        {
          ...of,
          id: proposal.id,
          position: 1n,
          legs: [`${hostile}=1`],
          why: hostile,
          corrects: hostile,
          receipt: hostile,
          proposedBy: idOf(hostile),
          proposedAt: asOf,
          confirmedBy: null,
          postedAt: null,
          outcome: null,
          endedAt: null,
        },
      ],
    } as const;
    const both: readonly HeldRole[] = [{ role: 'finance' }, { role: 'owner', merchantId: 'm' }];
    const { text } = waitingPage(waiting, context('amina', both));
    expectEscaped(text);
    expect(text).toContain('/payouts/batches/approve"');

    const item = { type: 'payout', key } as const;
    const outcomes = [
      { found: item, decided: 'confirmed' },
      { found: item, decided: { refusal: 'second_operator_needed' } },
    ] as const;
    expectEscaped(outcomesPage({ outcomes }, context()).text);
    expectEscaped(outcomesPage({ wrong: hostile }, context()).text);

    const terms = {
      role: 'owner',
      person: idOf(hostile),
      name: hostile,
      merchantId: hostile,
    } as const;
    const admin = context('amina', [{ role: 'admin' }]);
    const roles = {
      held: [
        {
          ...terms,
          proposedBy: hostile,
          confirmedBy: hostile,
          reason: hostile,
          grantedAt: asOf,
          isSuspended: true,
        },
      ],
      waiting: [roleProposal(terms, hostile)],
    };
    expectEscaped(rolesPage(roles, admin).text);
  });

  it('show one row a role, by a part of a name, a role or a merchant', () => {
    const at = asOf;
    const of = (name: string, role: 'finance' | 'owner', merchantId?: string): RoleSince => ({
      person: idOf(name),
      name,
      ...(roleFrom(role, merchantId) ?? { role: 'finance' }),
      proposedBy: 'spec',
      grantedAt: at,
      isSuspended: false,
    });
    const held = [of('Grace', 'finance'), of('Zuri', 'owner', 'm')];
    const admin = {
      ...context('joseph', [{ role: 'admin' }]),
      merchants: new Map([['m', 'Duka']]),
    };
    const rowsFor = (text: string) =>
      rolesPage({ held, waiting: [], text }, admin).text.match(/<th scope="row"/g)?.length ?? 0;
    expect([rowsFor(''), rowsFor('gra'), rowsFor('duka'), rowsFor('owner')]).toEqual([2, 1, 1, 1]);
    expect(rolesPage({ held, waiting: [], text: 'no one' }, admin).text).toContain(
      english.roles.noneFoundTodo,
    );
    expect(rolesPage({ held, waiting: [] }, admin).text).not.toContain('name="role_person"');
  });

  it('offer people who signed in, merchants by name, and the roles in two groups', () => {
    const people = [{ person: idOf('grace-0000'), name: hostile }];
    const merchants = [{ merchantId: 'm-0000-1234', name: hostile }];
    const { text } = grantPage({ people, merchants }, context('joseph', [{ role: 'admin' }]));
    expectEscaped(text);
    expect(text).toContain(`value="${idOf('grace-0000')}"`);
    expect(text).toContain('value="m-0000-1234"');
    const groups = text.match(/<optgroup[^]*?<\/optgroup>/g) ?? [];
    expect(groups.map((group) => group.includes('value="admin"'))).toEqual([true, false]);
    expect(groups.map((group) => group.includes('value="owner"'))).toEqual([false, true]);
    expect(text).toContain('name="role_other_person"');
  });

  it('show what a search term belongs to, and never a number that was asked for', () => {
    const page = {
      asked: hostile,
      since: '2026-11-21',
      gaveUp: false,
      wrongPhone: false,
      streams: [{ stream: hostile, by: 'reference' as const }],
      wasSearched: true,
      isBusy: false,
      merchants: [{ merchantId: 'm-0000-1234', name: hostile }],
      account: { accountNo: '1001', merchantId: hostile, mode: 'demo', name: hostile },
    } as const;
    const { text } = findPage(page, context());
    expectEscaped(text);
    const groups = [english.find.payments, english.merchants.caption, english.find.accounts];
    const at = groups.map((group) => text.indexOf(`aria-label="${group}"`));
    expect(at).not.toContain(-1);
    expect(at).toEqual(at.toSorted((one, other) => one - other));
    const stream = (reference: string) => `collection-demo:m:${reference}`;
    const streams = ['OLD-1', 'NEW-1'].map((each) => ({
      stream: stream(each),
      by: 'phone' as const,
    }));
    const summary = (reference: string, createdAt: string) =>
      [
        stream(reference),
        {
          stream: stream(reference),
          amountMinor: 123_450n,
          currency: 'KES',
          status: 'completed',
          underReview: false,
          createdAt: new Date(createdAt),
        },
      ] as const;
    const summaries = new Map([
      summary('OLD-1', '2026-11-20T10:00:00.000Z'),
      summary('NEW-1', '2026-11-21T10:00:00.000Z'),
    ]);
    const told = findPage({ ...page, streams, summaries }, context()).text;
    expect(told).toContain('KES 1,234.50');
    expect(told).toContain(english.statuses['completed']);
    expect(told.indexOf('>NEW-1<')).toBeLessThan(told.indexOf('>OLD-1<'));
    expect(told).not.toContain('<details  open');
    const nothing = { ...page, streams: [], merchants: [], account: undefined, isHistory: true };
    const empty = findPage(nothing, context()).text;
    expect(empty).toContain(english.find.emptyHistory('2026-11-21'));
    expect(empty).toMatch(/<details\s+open/);
    const wrong = findPage({ ...page, asked: undefined, wrongPhone: true }, context());
    expect(wrong.text).toContain(english.find.phoneWrong);
    expect(wrong.text).toMatch(/id="phone"[^>]*aria-invalid="true"/);
  });
});

describe('the directory of merchants', () => {
  const merchant = (index: number) => ({
    merchantId: `m-${index}-${hostile}`,
    name: `Duka ${index} ${hostile}`,
    timezone: hostile,
    country: hostile,
    vid: null,
    hosts: [],
    checkoutStrict: false,
    accounts: [{ accountNo: '100', mode: 'demo', currency: 'KES', channels: ['mpesa'] } as const],
  });
  const merchants = Array.from({ length: 51 }, (_each, index) => merchant(index));

  it('shows what others wrote as text, and leads to each merchant and to the next page', () => {
    const { text } = merchantsPage({ text: '', merchants }, context());
    expectEscaped(text);
    expect(text).toContain('Duka 49');
    expect(text).not.toContain('Duka 50');
    expect(text).toMatch(/rel="next"/);
    expect(text).toMatch(/href="\/portal\/merchants\/m-0-[^"]*\/demo\/home"/);
    // These merchants have no live account, so no link leads to live mode.
    expect(text).not.toContain('/live/home');
  });

  it('says how to find another when none is found', () => {
    const { text } = merchantsPage({ text: hostile, merchants: [] }, context());
    expectEscaped(text);
    expect(text).toContain('No merchants found');
  });
});

describe('a merchant', () => {
  const named = { ...context(), merchants: new Map([['m', `Duka ${hostile}`]]) };
  const key = { mode: 'demo', merchantId: 'm', reference: 'INV-1' } as const;
  const waiting = {
    corrections: [],
    payouts: [],
    batches: [],
    requests: [],
    roles: [],
    changes: [],
    unknown: [],
    more: false,
  };
  const outcomes = [{ found: { type: 'collection', key }, decided: 'confirmed' }] as const;
  const search = { asked: 'INV-1', since: '2026-11-21', account: undefined, merchants: [] };
  const found = { gaveUp: false, wrongPhone: false, wasSearched: true, isBusy: false };
  const streams = [{ stream: proposal.stream, by: 'reference' as const }];

  it.each([
    ['an item', () => shown(underReview(), named)],
    ['waiting items', () => waitingPage({ ...waiting, reviews: [proposal] }, named).text],
    ['the outcomes of a form', () => outcomesPage({ outcomes }, named).text],
    ['search results', () => findPage({ ...search, ...found, streams }, named).text],
  ])('is named with its id on the page of %s if the name is known', (_page, text) => {
    expect(text()).toMatch(/Duka &quot;&gt;[^]*<code>m<\/code>/);
    expectEscaped(text());
  });

  it('is named with a role there, before a proof of presence as well', () => {
    const terms = { role: 'owner', person: idOf('p'), name: 'P', merchantId: 'm' } as const;
    const at = now.toISOString() as Instant;
    const waits = roleProposal(terms, idOf('amina'));
    const held = [{ ...terms, proposedBy: idOf('amina'), grantedAt: at, isSuspended: false }];
    expect(proposalRows(waits, named)).toContainEqual([english.merchant, `Duka ${hostile} (m)`]);
    const { text } = rolesPage({ held, waiting: [waits] }, named);
    expect(text.match(/Owner at Duka &quot;/g)?.length).toBeGreaterThan(1);
    expectEscaped(text);
  });

  it('is named before a correction of its wallet is proposed: a mistyped id is another merchant’s', () => {
    const terms = { merchantId: 'm', mode: 'demo', currency: 'KES', legs: [], why: 'w' } as const;
    expect(correctionTermsRows(terms, named)).toContainEqual([
      english.merchant,
      `Duka ${hostile} (m), ${english.modes.demo}`,
    ]);
  });

  it('is named before a proof of presence', () => {
    expect(itemRows(underReview(), named)).toContainEqual([
      english.merchant,
      `Duka ${hostile} (m), ${english.modes.demo}`,
    ]);
  });
});

describe('corrections', () => {
  const terms = {
    merchantId: 'm',
    mode: 'demo' as const,
    currency: 'KES',
    why: hostile,
    proposedBy: idOf('amina'),
    legs: [
      { account: 'wallet:1001', amountMinor: -100n },
      { account: 'suspense', amountMinor: 100n },
    ],
  } as const;
  const key = { mode: 'demo', id: proposal.id } as const;
  const correction = { status: 'proposed', proposal: terms } as const;
  const found = { key, correction, proposedAt: now.toISOString() as Instant };

  it('are confirmed by another, who sees every leg', () => {
    const { text } = correctionPage(found, context());
    expectEscaped(text);
    expect(text).toContain(`/portal/corrections/demo/${key.id}/confirm`);
    expect(text).toContain('Wallet 1001');
    const own = correctionPage(found, context('amina')).text;
    expect(own).not.toContain('/confirm"');
    expect(own).toContain(`/portal/corrections/demo/${key.id}/withdraw`);
    const ended = { status: 'ended', proposal: terms, outcome: 'expired' } as const;
    const over = correctionPage({ ...found, correction: ended }, context());
    expect(over.text).toContain(english.corrections.ends.expired);
    expect(over.text).not.toContain('<form');
  });

  it('are listed without a form, and lead people who may propose one to its own page', () => {
    const listed = { corrections: [], more: false };
    const { text } = correctionsPage({ listed, onlyOpen: false }, context());
    expect(text).not.toContain('correction_');
    expect(newCorrection(context())?.text).toContain('/portal/corrections/new');
    expect(newCorrection(context('joseph', [{ role: 'support' }]))).toBeUndefined();
  });

  it('show both sides of each entry and their sums', () => {
    const { text } = correctionPage(found, context());
    expect(text).toContain('Wallet 1001');
    expect(text.match(/<tfoot[^]*<\/tfoot>/)?.[0].match(/1\.00/g)).toHaveLength(2);
  });
});

describe('the form of a correction', () => {
  const merchant = {
    merchantId: 'm',
    name: hostile,
    timezone: 'Africa/Nairobi',
    country: 'KE',
    vid: null,
    hosts: [],
    checkoutStrict: false,
    accounts: [
      { accountNo: '1001', mode: 'demo', currency: 'KES', channels: ['mpesa'] } as const,
      { accountNo: '2001', mode: 'live', currency: 'KES', channels: ['mpesa'] } as const,
    ],
  };
  const page = {
    id: proposal.id,
    merchant,
    mode: 'demo',
    otherAccounts: ['rail-clearing:mpesa', 'fees', 'suspense'],
    balances: [
      {
        accountNo: '1001',
        currency: 'KES',
        postedMinor: 250_000n,
        reservedMinor: 50_000n,
        availableMinor: 200_000n,
        position: 7n,
        asOf: now.toISOString() as Instant,
      },
    ],
  } as const;
  type Row = readonly [account: string, debit: string, credit: string];
  const entries = (...rows: readonly Row[]) => {
    const values = new URLSearchParams({
      correction_merchant: 'm',
      correction_mode: 'demo',
      correction_currency: 'KES',
      correction_reason: 'statement of 20 November',
    });
    for (const [account, debit, credit] of rows) {
      values.append('correction_account', account);
      values.append('correction_debit', debit);
      values.append('correction_credit', credit);
    }
    return values;
  };
  const read = (...rows: readonly Row[]) => readTerms(entries(...rows), english);

  it('shows the balances of the accounts, or that they are not known', () => {
    const values = new URLSearchParams();
    const { text } = newCorrectionPage({ ...page, values }, context());
    expect(text).toMatch(/1001[^]*KES 2,500\.00[^]*KES 2,000\.00[^]*<form/);
    expectEscaped(text);
    const unknown = newCorrectionPage({ ...page, balances: undefined, values }, context()).text;
    expect(unknown).toContain(english.corrections.balancesUnknown);
  });

  it('takes a reference as the item to correct, if exactly one item of the merchant has it', async () => {
    const found = async (item: Awaited<ReturnType<Cases['findItem']>>, corrects = 'INV-1') => {
      const cases = { findItem: () => Promise.resolve(item) } as unknown as Cases;
      const forms = new CorrectionForms(
        ...([{}, {}, {}, cases] as unknown as ConstructorParameters<typeof CorrectionForms>),
      );
      const values = entries(['wallet:1001', '100.00', ''], ['suspense', '', '100.00']);
      values.set('correction_corrects', corrects);
      return forms.read(values, english);
    };
    const item = {
      type: 'payout',
      key: { mode: 'demo', merchantId: 'm', reference: 'INV-1' },
    } as const;
    expect(await found({ ok: true, value: item })).toMatchObject({
      value: { corrects: 'payout-demo:m:INV-1' },
    });
    expect(await found({ ok: true, value: undefined }, 'collection-demo:m:X')).toMatchObject({
      value: { corrects: 'collection-demo:m:X' },
    });
    const wrong = (text: string) => ({
      refusal: { fields: [{ field: 'correction_corrects', text }] },
    });
    const { unknown, both } = english.corrections.noItem;
    expect(await found({ ok: true, value: undefined })).toMatchObject(wrong(unknown));
    const several = { ok: false, refusal: { why: 'both', reference: 'INV-1' } } as const;
    expect(await found(several)).toMatchObject(wrong(both));
  });

  it('offers the merchant’s own wallets of the mode, and the platform’s accounts', () => {
    const { text } = newCorrectionPage({ ...page, values: new URLSearchParams() }, context());
    expectEscaped(text);
    expect(text).toContain('value="wallet:1001"');
    expect(text).toContain('value="rail-clearing:mpesa"');
    expect(text).not.toContain('wallet:2001');
    expect(text).not.toContain('name="correction_legs"');
  });

  it('reads decimal amounts to the cent, and leaves out empty rows', () => {
    expect(
      read(['wallet:1001', '1,234.5', ''], ['', '', ''], ['fees', '', '1234.50']),
    ).toMatchObject({
      ok: true,
      value: {
        legs: [
          { account: 'wallet:1001', amountMinor: -123_450n },
          { account: 'fees', amountMinor: 123_450n },
        ],
      },
    });
  });

  it.each([
    ['an amount without an account', ['', '5', ''], 'correction_account_0'],
    ['both sides in one row', ['fees', '5', '5'], 'correction_debit_0'],
    ['neither side', ['fees', '', ''], 'correction_debit_0'],
    ['nothing', ['fees', '', '0'], 'correction_credit_0'],
    ['a third decimal', ['fees', '1.005', ''], 'correction_debit_0'],
    ['a comma in the wrong place', ['fees', '12,34', ''], 'correction_debit_0'],
    ['a negative amount', ['fees', '-5', ''], 'correction_debit_0'],
    ['an account that does not exist', ['cash', '5', ''], 'correction_account_0'],
  ] as const)('names the field of %s, and shows it again as typed', (_what, row, wrong) => {
    const typed = read(row, ['suspense', '', '5']);
    if (typed.ok) throw new Error('the row was read');
    expect(typed.refusal.fields.map(({ field: of }) => of)).toEqual([wrong]);
    const { values } = typed.refusal;
    const { text } = newCorrectionPage({ ...page, values, refused: typed.refusal }, context());
    expect(text).toContain(`<a href="#${wrong}">`);
    expect(text).toContain(`id="${wrong}-error"`);
    for (const each of row.slice(1).filter((one) => one !== ''))
      expect(text).toContain(`value="${each}"`);
  });

  it('has one empty row more than were used, however often it is sent', () => {
    const empty = ['', '', ''] as const;
    const rowsOf = (...rows: readonly Row[]) =>
      newCorrectionPage({ ...page, values: entries(...rows) }, context()).text.match(
        /name="correction_account"/g,
      )?.length;
    expect(rowsOf(['fees', '1', ''], empty, empty, empty)).toBe(4);
    expect(rowsOf(...Array.from({ length: 4 }, () => ['fees', '1', ''] as const))).toBe(5);
  });

  it('says both sums and their difference if they differ', () => {
    const typed = read(['wallet:1001', '100', ''], ['fees', '', '90']);
    expect(typed).toMatchObject({
      ok: false,
      refusal: { summary: english.corrections.notBalanced('KES 100.00', 'KES 90.00', 'KES 10.00') },
    });
  });

  it('is filled in by a link with the opposite of what was posted', () => {
    const values = new URLSearchParams({
      correction_legs: 'wallet:1001=-9850\nfees=-150\nrail-clearing:mpesa=10000',
    });
    const { text } = newCorrectionPage({ ...page, values }, context());
    expect([...text.matchAll(/value="([^"]+)"\s+selected/g)].map(([, value]) => value)).toEqual([
      'wallet:1001',
      'fees',
      'rail-clearing:mpesa',
    ]);
    for (const amount of ['98.50', '1.50', '100.00']) expect(text).toContain(`value="${amount}"`);
  });

  it('is reached from an item that posted money, with its entries turned round', () => {
    expect(correctLink(underReview(), context())).toBeUndefined();
    const posted = {
      ...underReview(),
      events: [{ data: { legs: [{ account: 'suspense', amountMinor: 100n }] } }],
    } as unknown as CollectionCase;
    expect(decodeURIComponent(correctLink(posted, context())?.text ?? '')).toContain(
      'correction_legs=suspense=-100',
    );
    expect(correctLink(posted, context('joseph', [{ role: 'support' }]))).toBeUndefined();
  });
});

describe('the status', () => {
  const facts = <Facts>(told: Facts) => ({ facts: told });
  const drilled = {
    at: now.toISOString() as Instant,
    copy: 'restored',
    outcome: 'held',
    ageSeconds: 7200,
    newer: 12,
    faults: 0,
  } as const;
  const seen = {
    app: 'worker',
    instance: 'host-1:9465',
    pid: 4711,
    version: '1.0.0+0123456789ab',
    startedAt: now,
    silentSeconds: 1,
    hasEnded: false,
    clockAheadSeconds: 0,
    stalledLoops: [],
    state: 'runs',
  } as const;
  const noPayouts = {
    forRail: 0,
    oldestSeconds: 0,
    forFloat: 0,
    paused: 0,
    pausedSeconds: 0,
    unsentSeconds: 0,
  };
  const noWebhooks = { waiting: 0, oldestSeconds: 0, overdueSeconds: 0, unattemptedSeconds: 0 };
  const well: readonly PartStanding[] = [
    { what: 'postgres', state: 'ok', facts: { answers: true } },
    { what: 'event store', state: 'ok', facts: { head: 7n } },
    { what: 'redis', state: 'ok', facts: { answers: true } },
    {
      what: 'processes',
      state: 'ok',
      facts: { processes: [seen], missing: [], silent: [], apart: [], stalled: [] },
    },
    { what: 'views', state: 'ok', facts: { position: 7n, ageSeconds: 1, quarantined: 0 } },
    {
      what: 'callbacks',
      state: 'ok',
      facts: {
        entries: 0,
        oldestSeconds: 0,
        unopened: 0,
        unposted: { ofRail: 0, ofOthers: 0 },
      },
    },
    { what: 'rail', state: 'ok', facts: { collections: 0, unanswered: 0, oldestSeconds: 0 } },
    { what: 'payouts', state: 'ok', facts: noPayouts },
    { what: 'webhooks', state: 'ok', facts: noWebhooks },
    { what: 'reviews', state: 'ok', facts: { open: 0, more: false } },
    { what: 'audit', state: 'ok', facts: { sealed: undefined, overdue: undefined } },
    { what: 'audit check', state: 'ok', facts: { last: undefined } },
    { what: 'admins', state: 'ok', facts: { takesEffectAt: undefined } },
    { what: 'pauses', state: 'ok', facts: { open: [] } },
    { what: 'keys', state: 'ok', facts: { ending: [], more: false } },
    { what: 'drill', state: 'ok', facts: { last: drilled } },
  ];
  const platform: Platform = {
    parts: well,
    approvals: facts({ own: 0, oldest: undefined, others: 0, more: false }),
    reviews: facts([]),
    failing: facts({ endpoints: [], ofAll: 0 }),
    missed: facts({ payments: [], more: false }),
    circuits: facts([{ mode: 'demo', endpoint: 'push', state: 'closed' }]),
    floats: facts([{ channel: 'mpesa', mode: 'demo', told: { minor: 1n, atMs: now.getTime() } }]),
    balances: facts([{ channel: 'mpesa', mode: 'demo', last: undefined }]),
    money: facts({ mode: 'live', figures: [] }),
    recent: facts({
      collections: [0, 3, 5].map((ago) => ({ ago, status: 'completed', count: 3 })),
      reviewsBegun: [],
    }),
    span: 'day',
    now,
    installation: { dataDir: '/data', embedded: [], eventStoreUrl: 'https://store:2113' },
    isByPass: false,
  };
  const anchors = Object.keys(english.platform.parts);
  const lastAnswer = { failures: 3, failingSince: now, lastOutcome: 'timeout', lastStatus: null };

  it('names the approvals that wait for the viewer, and shows those of others without an alarm', () => {
    const oldest = new Date(now.getTime() - 65 * 60_000);
    const shares = { own: 2, oldest, others: 3, more: false };
    const { text } = statusPage({ ...platform, approvals: facts(shares) }, context());
    expect(text).toContain('2 approvals wait for you, oldest 1 h 5 min.');
    expect(text).toMatch(/<li>\s*<p>\s*<a href="\/portal\/waiting">Approvals<\/a>/);
    expect(text).toContain(english.platform.todos.approvals_wait);
    const others = { ...shares, own: 0, oldest: undefined };
    const quiet = statusPage({ ...platform, approvals: facts(others) }, context()).text;
    expect(quiet).toMatch(/id="approvals"[^]*For another person[^]*3/);
    expect(quiet).not.toContain(english.platform.todos.approvals_wait);
  });

  it('names payments that only the rail reports, and shows those of other senders without an alarm', () => {
    const waits = { entries: 0, oldestSeconds: 0, unopened: 0 };
    const shown = (ofRail: number): string => {
      const facts = { ...waits, unposted: { ofRail, ofOthers: 3 } };
      const callbacks: PartStanding =
        ofRail > 0
          ? { what: 'callbacks', state: 'attention', todo: 'callbacks_unposted', facts }
          : { what: 'callbacks', state: 'ok', facts };
      const parts = well.map((part) => (part.what === 'callbacks' ? callbacks : part));
      return statusPage({ ...platform, parts }, context()).text;
    };
    const { todos, facts: words } = english.platform;
    for (const fact of ['2 callbacks wait.', todos.callbacks_unposted, words.unposted])
      expect(shown(2)).toContain(fact);
    expect(shown(2)).toMatch(/<a href="\/portal\/reviews">Callbacks<\/a>/);
    expect(shown(2)).toContain('npx pesapost review list');
    expect(shown(0)).toContain(english.platform.allWell);
    expect(shown(0)).toContain(words.unpostedOfOthers);
  });

  it('has an anchor for each part, and says that all is well', () => {
    const { text } = statusPage(platform, context());
    for (const anchor of anchors) expect(text).toContain(`<section id="${anchor}"`);
    expect(text).toContain(english.platform.allWell);
    expect(text).toContain('<svg');
  });

  it('says first how it is, then what to do, with commands folded away, and trends last', () => {
    const waiting = well.map((part): PartStanding => {
      if (part.what === 'drill')
        return {
          what: 'drill',
          state: 'attention',
          todo: 'drill_never',
          facts: { last: undefined },
        };
      if (part.what !== 'rail') return part;
      const facts = { collections: 12, unanswered: 0, oldestSeconds: 10_800 };
      return { what: 'rail', state: 'ok', facts };
    });
    const { text } = statusPage({ ...platform, parts: waiting }, context());
    const at = [
      english.platform.facts.noDrill,
      `>${english.platform.todo}<`,
      `>${english.platform.queues}<`,
      'id="processes"',
      `>${english.platform.dependencies}<`,
      'id="plots"',
    ].map((each) => text.indexOf(each));
    expect(at).not.toContain(-1);
    expect(at).toEqual(at.toSorted((one, other) => one - other));
    expect(text).toMatch(/<details>\s*<summary>Command<\/summary>\s*<code>npx pesapost drill/);
    const rail = text.slice(text.indexOf('<section id="rail"'));
    expect(rail.slice(0, rail.indexOf('</section>'))).toMatch(/>12<.*>oldest 3 h</s);
  });

  it('never shows what has not run yet as passed or as failed', () => {
    const parts = well.map((part) =>
      part.what === 'drill' ? { ...part, facts: { last: undefined } } : part,
    );
    const { text } = statusPage({ ...platform, parts }, context());
    for (const anchor of ['seals', 'audit-check', 'drill']) {
      const section = text.slice(text.indexOf(`<section id="${anchor}"`));
      const badge = /<span class="badge (\w+)">[^]*?<\/span>\s*([^<]*)</.exec(section);
      expect([anchor, badge?.[1], badge?.[2]?.trim()]).toEqual([
        anchor,
        'neutral',
        english.platform.states.never,
      ]);
    }
  });

  it('names what waits, with the age of the oldest, and leads to it by one link', () => {
    const parts = well.map((part): PartStanding => {
      if (part.what !== 'reviews') return part;
      return { ...part, state: 'waits', todo: 'reviews_open', facts: { open: 2, more: false } };
    });
    const reviews = facts([
      {
        why: 'amount_mismatch',
        mode: 'demo',
        open: 2,
        oldest: new Date(now.getTime() - 3_900_000),
        proposed: 0,
      } as const,
    ]);
    const { text } = statusPage({ ...platform, parts, reviews }, context());
    expect(text).toContain('2 reviews wait, oldest 1 h 5 min.');
    const todo = text.slice(text.indexOf('<ol>'), text.indexOf('</ol>'));
    expect(todo.match(/<a /g)).toHaveLength(1);
    expect(todo).toContain('href="/portal/reviews"');
    expect(text).toContain(english.platform.areOk(11));
  });

  it('names the host of callback URLs that fails, and for how long nothing was attempted', () => {
    const target = { merchantId: 'm', mode: 'demo', kind: 'v3', callbackHost: hostile } as const;
    const url = 'https://hooks.example/secret';
    const failing = facts({ ofAll: 1, endpoints: [{ ...target, url, ...lastAnswer }] });
    const waits = { ...noWebhooks, waiting: 1, oldestSeconds: 7200, unattemptedSeconds: 7200 };
    const parts = well.map((part): PartStanding =>
      part.what === 'webhooks' ? { what: 'webhooks', state: 'ok', facts: waits } : part,
    );
    const { text } = statusPage({ ...platform, parts, failing }, context());
    expectEscaped(text);
    expect(text).toContain('1 webhook waits, oldest 2 h.');
    expect(text).toContain('npx pesapost webhook deliveries --failing');
    expect(text).not.toContain('secret');
    expect(text).toContain('v3, ');
    expect(text).toMatch(new RegExp(`${english.platform.facts.unattempted}</dt>\\s*<dd>2 h`));
  });

  it.each([
    ['rail', 'collections_wait', 'pending list'],
    ['payouts', 'payouts_unsent', 'payout list --status pending'],
    ['payouts', 'float_missing', 'payout list --status pending'],
    ['payouts', 'payouts_old', 'payout list --status pending'],
    ['webhooks', 'webhooks_overdue', 'webhook deliveries'],
  ] as const)(
    'leads to a queue that stands still, with its command: %s, %s',
    (what, todo, command) => {
      const parts = well.map((part) =>
        part.what === what ? ({ ...part, state: 'attention', todo } as PartStanding) : part,
      );
      const { text } = statusPage({ ...platform, parts }, context());
      const top = text.slice(text.indexOf('<ol>'), text.indexOf('</ol>'));
      expect(top).toContain(`href="#${what}"`);
      expect(top).toContain(english.platform.todos[todo]);
      expect(top).toContain(`<code>npx pesapost ${command}</code>`);
    },
  );

  it('shows for how long approved payouts are not sent', () => {
    const facts = { ...noPayouts, unsentSeconds: 3600 };
    const parts = well.map((part): PartStanding =>
      part.what === 'payouts'
        ? { ...part, state: 'attention', todo: 'payouts_unsent', facts }
        : part,
    );
    const { text } = statusPage({ ...platform, parts }, context());
    expect(text).toMatch(new RegExp(`${english.platform.facts.unsent}</dt>\\s*<dd>1 h`));
    // The figure counts payouts that were sent.
    expect(text).not.toContain('0 payouts wait');
  });

  it('puts what is down before what waits, each with what to do', () => {
    const parts = well.map((part): PartStanding => {
      if (part.what === 'event store')
        return { what: 'event store', state: 'down', problem: hostile, todo: 'event_store_down' };
      if (part.what !== 'reviews') return part;
      return { ...part, state: 'attention', todo: 'reviews_open', facts: { open: 2, more: false } };
    });
    const { text } = statusPage({ ...platform, parts }, context());
    expectEscaped(text);
    const todo = text.slice(text.indexOf('<ol>'), text.indexOf('</ol>'));
    expect(todo.indexOf('#event-store')).toBeLessThan(todo.indexOf('/portal/reviews'));
    expect(todo).toContain('npx pesapost review list');
  });

  it.each([
    ['drill_never', undefined],
    ['drill_failed', { ...drilled, outcome: 'failed', faults: 2 }],
    ['drill_old', drilled],
  ] as const)('asks for a restore drill: %s', (todo, last) => {
    const standing: PartStanding = { what: 'drill', state: 'attention', todo, facts: { last } };
    const parts = well.map((part) => (part.what === 'drill' ? standing : part));
    const { text } = statusPage({ ...platform, parts }, context());
    const top = text.slice(text.indexOf('<ol>'), text.indexOf('</ol>'));
    expect(top).toContain('href="#drill"');
    expect(top).toContain(english.platform.todos[todo]);
    expect(top).toContain('npx pesapost drill');
  });

  it('names an announced admin first in what to do, and leads to the page where an admin stops it', () => {
    const standing: PartStanding = {
      what: 'admins',
      state: 'attention',
      todo: 'admin_announced',
      facts: { takesEffectAt: instantFromMs(now.getTime()) },
    };
    const parts = well.map((part) => (part.what === 'admins' ? standing : part));
    const { text } = statusPage({ ...platform, parts }, context());
    const todo = text.slice(text.indexOf('<ol>'), text.indexOf('</ol>'));
    expect(todo).toContain('<a href="/portal/break-glass">Admins</a>');
    expect(todo).toContain(english.platform.todos.admin_announced);
    expect(todo).toContain('npx pesapost role list');
    expect(text).toContain(english.platform.facts.newAdminFrom);
  });

  it('lists the keys that end within a week, and those that have ended', () => {
    const ending = (holder: string, secondsLeft: number) => ({
      credentialId: hostile,
      merchantId: 'm-1',
      kind: 'v4' as const,
      mode: 'live' as const,
      holder,
      expiresAt: now,
      secondsLeft,
    });
    const listed = [ending(hostile, -5), ending('till', 500_000)];
    const standing: PartStanding = {
      what: 'keys',
      state: 'waits',
      todo: 'keys_end',
      facts: { ending: listed, more: true },
    };
    const parts = well.map((part) => (part.what === 'keys' ? standing : part));
    const { text } = statusPage({ ...platform, parts }, context());
    expectEscaped(text);
    const section = text.slice(text.indexOf('<section id="keys"'));
    const shown = section.slice(0, section.indexOf('</section>'));
    expect(shown).toContain(`: ${english.platform.facts.endedAt} `);
    expect(shown).toContain(`till: ${english.platform.facts.endsAt} `);
    expect(text).toContain(english.platform.todos.keys_end);
  });

  it('names each dead server with one sentence and one command, and what is not known because of it', () => {
    const down = { state: 'down', problem: 'no answer in time' } as const;
    const parts = well.map((part): PartStanding => {
      if (part.what === 'postgres') return { what: 'postgres', ...down, todo: 'postgres_down' };
      if (part.what !== 'views') return part;
      const why = { because: 'postgres', problem: 'postgres does not answer' } as const;
      return { what: 'views', state: 'unknown', ...why };
    });
    for (const embedded of [[], ['postgres']]) {
      const installation = { dataDir: '/data', embedded, eventStoreUrl: 'https://store:2113' };
      const { text } = statusPage({ ...platform, parts, installation }, context());
      const todo = text.slice(text.indexOf('<ol>'), text.indexOf('</ol>'));
      expect(todo).toContain(english.platform.todos.postgres_down);
      expect(todo).toContain(
        embedded.length === 0 ? 'pg_isready' : '<code>tail -n 20 /data/logs/postgres.log</code>',
      );
      expect(todo).not.toContain('#views');
      expect(text).toContain(english.platform.notAsked('postgres does not answer'));
    }
  });

  it.each([
    ['worker', [], 'docker compose up -d worker'],
    ['worker', ['postgres'], 'tail -n 20 /data/logs/worker.log'],
    ['launcher', ['postgres'], 'kill -9 77; npm start'],
    ['launcher', [], 'kill -9 77; npm start'],
  ])(
    'names a %s that is missing, since when, and the command for it: %j',
    (app, embedded, command) => {
      const silent = { ...seen, app, pid: 77, silentSeconds: 47, state: 'silent' } as const;
      const facts = {
        processes: [silent],
        missing: [{ app, last: silent }],
        silent: [],
        apart: [],
        stalled: [],
      };
      const standing = {
        what: 'processes',
        state: 'down',
        todo: 'process_missing',
        facts,
      } as const;
      const parts = well.map((part) => (part.what === 'processes' ? standing : part));
      const installation = { dataDir: '/data', embedded, eventStoreUrl: 'https://store:2113' };
      const { text } = statusPage({ ...platform, parts, installation }, context());
      const todo = text.slice(text.indexOf('<ol>'), text.indexOf('</ol>'));
      expect(todo).toContain('href="#processes"');
      expect(todo).toContain(`<code>${command}</code>`);
      expect(text).toContain(english.platform.ago('47 s'));
    },
  );

  it.each([
    [600, english.platform.clockAhead('10 min')],
    [-600, english.platform.clockBehind('10 min')],
  ])('names a process whose clock is apart by %i s', (clockAheadSeconds, words) => {
    const apart = { ...seen, clockAheadSeconds };
    const facts = { processes: [apart], missing: [], silent: [], apart: [apart], stalled: [] };
    const standing = { what: 'processes', state: 'attention', todo: 'clock_apart', facts } as const;
    const parts = well.map((part) => (part.what === 'processes' ? standing : part));
    const { text } = statusPage({ ...platform, parts }, context());
    expect(text).toContain(words);
    const todo = text.slice(text.indexOf('<ol>'), text.indexOf('</ol>'));
    expect(todo).toContain('<code>timedatectl status</code>');
  });

  it.each([
    [[], 'docker compose logs --tail 50 worker'],
    [['postgres'], 'tail -n 20 /data/logs/worker.log'],
  ])(
    'names the loops of a process that complete no step, and the command: %j',
    (embedded, typed) => {
      const stalled = { ...seen, stalledLoops: ['callback-inbox-live', 'notices'] };
      const facts = {
        processes: [stalled],
        missing: [],
        silent: [],
        apart: [],
        stalled: [stalled],
      };
      const standing = {
        what: 'processes',
        state: 'attention',
        todo: 'loops_stalled',
        facts,
      } as const;
      const parts = well.map((part) => (part.what === 'processes' ? standing : part));
      const installation = { dataDir: '/data', embedded, eventStoreUrl: 'https://store:2113' };
      const { text } = statusPage({ ...platform, parts, installation }, context());
      expect(text).toContain(english.platform.stalled('callback-inbox-live, notices'));
      const todo = text.slice(text.indexOf('<ol>'), text.indexOf('</ol>'));
      expect(todo).toContain(english.platform.todos.loops_stalled);
      expect(todo).toContain(`<code>${typed}</code>`);
    },
  );

  it('hides merchants’ data from a person whose sign-in could not be checked', () => {
    const hidden = { hidden: true } as const;
    const of = {
      failing: hidden,
      missed: hidden,
      floats: hidden,
      balances: hidden,
      money: hidden,
      recent: hidden,
    };
    const { text } = statusPage({ ...platform, ...of, isByPass: true }, context());
    expect(text).toContain(english.platform.byPass);
    expect(text.split(english.platform.hidden)).toHaveLength(7);
    expect(text).not.toContain('<svg');
  });

  it('gives no cause but the server’s for a float that is not known because of it', () => {
    const floats = { problem: 'redis does not answer' };
    const { text } = statusPage({ ...platform, floats }, context());
    const part = text.slice(text.indexOf('<section id="float"'));
    const own = part.slice(0, part.indexOf('</section>'));
    expect(own).toContain('redis does not answer');
    for (const texts of [english, swahili]) {
      expect(own).not.toContain(texts.platform.todos.float_unknown);
      // A float that is old may have any cause: a guess leads to the wrong repair.
      expect(JSON.stringify(texts.platform.todos)).not.toMatch(/password|initiator|nywila/i);
    }
  });

  it('shows the money of all merchants, and its mode in words', () => {
    const days = daysUntil('2026-11-22', 60);
    const figure = {
      type: 'collection',
      currency: 'KES',
      feeMinor: 0n,
      day: '2026-11-22',
    } as const;
    const found = [
      { ...figure, status: 'completed', count: 17n, amountMinor: 123_448n } as const,
      ...(['2026-11-20', '2026-11-21'] as const).map(
        (day) => ({ ...figure, day, status: 'completed', count: 1n, amountMinor: 1n }) as const,
      ),
      { ...figure, status: 'failed', count: 1n, amountMinor: 100n } as const,
    ];
    const figures = [{ currency: 'KES', ...homeFigures(found, days, 'KES') }];
    const money = facts({ mode: 'demo' as const, figures });
    const { text } = statusPage({ ...platform, money }, context());
    const own = text.slice(
      text.indexOf('<section id="money"'),
      text.indexOf('<section id="plots"'),
    );
    expect(own).toContain('KES 1,234.50');
    expect(own).toContain('95.0 %');
    expect(own).toContain(english.platform.money.demo.split('’')[0]);
    expect(own.match(/<svg class="drawing"/g)).toHaveLength(2);
    expect(statusPage(platform, context()).text).toContain(english.platform.noMoney);
  });

  it('shows the rest if a part is unavailable', () => {
    const problem = { problem: 'postgres is unavailable' };
    const { text } = statusPage({ ...platform, missed: problem, recent: problem }, context());
    expect(text).toContain('postgres is unavailable');
    expect(text).toContain('<section id="webhooks"');
  });

  it.each([
    ['circuits', { circuits: facts([{ mode: 'live', endpoint: 'push', state: 'open' }]) }],
    ['float', { floats: facts([{ channel: 'mpesa', mode: 'live', told: undefined }]) }],
    [
      'balance',
      {
        balances: facts([
          {
            channel: 'mpesa',
            mode: 'live',
            last: { differs: true, differenceMinor: -3_300n, at: now.toISOString() as Instant },
          },
        ]),
      },
    ],
    [
      'missed',
      {
        missed: facts({
          payments: [
            {
              mode: 'live',
              receipt: hostile,
              amountMinor: 1n,
              stream: null,
              why: hostile,
              paidAt: now.toISOString() as Instant,
            },
          ],
          more: true,
        }),
      },
    ],
  ] as const)('leads to what is wrong: %s', (anchor, over) => {
    const { text } = statusPage({ ...platform, ...over } as Platform, context());
    expect(text.slice(0, text.indexOf('</ol>'))).toContain(
      anchor === 'missed' ? 'href="/portal/reviews"' : `href="#${anchor}"`,
    );
    expect(text).not.toMatch(/<script/);
  });
});

it('each text exists in both languages, with the same placeholders', () => {
  const paths = (texts: object, before = ''): readonly string[] =>
    Object.entries(texts).flatMap(([name, text]: [string, unknown]) =>
      typeof text === 'object' && text !== null
        ? paths(text, `${before}${name}.`)
        : [`${before}${name}`],
    );
  expect(paths(swahili).toSorted()).toEqual(paths(english).toSorted());
});
