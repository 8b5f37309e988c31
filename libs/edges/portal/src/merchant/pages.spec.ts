import { describe, expect, it } from '@jest/globals';
import { type RecordedEvent } from '#domain/event-sourcing';
import { instantFromMs, ok } from '#domain/kernel';
import { type PayoutRequest } from '#domain/payouts';
import { html, type Html } from '#shared/html';
import { type OwnCredential } from '#views/merchants';
import { type UnsettledPayout } from '#views/payouts';
import { type ListedReconciliation } from '#views/reconciliations';
import { encodeCursor, type ItemEvent, type TransactionItem } from '#views/transactions';
import { foreignMarkup, hostile } from '#testing';
import { type Viewer } from '../access/viewer.js';
import { statusMark } from '../page/parts.js';
import { type DayModel, dayPage } from './days/day-page.js';
import { dayActions } from './days/day-actions.js';
import { comparisonKey } from './days/comparison-key.js';
import { type DaysModel, daysPage } from './days/days-page.js';
import { exceptionKey } from '#records/people';
import { secretPage } from './developer/change-parts.js';
import { endpointPage } from './developer/endpoint-page.js';
import { failedPage, resentPage } from './developer/failed-page.js';
import { keyPage, newKeyPage } from './developer/key-forms-page.js';
import { endingKeys } from './developer/key-end.js';
import { issuedAt, keysActions, type KeysModel, keysPage } from './developer/keys-page.js';
import { exampleRequest, signaturePage } from './developer/signature-page.js';
import { debugSignature, type Pasted } from './developer/signature.js';
import { v3Page } from './developer/v3-page.js';
import { teamPage } from './developer/team-page.js';
import { deliveryPage } from './developer/delivery-page.js';
import { type WebhooksModel, webhooksPage } from './developer/webhooks-page.js';
import { askBatchPage, batchPage } from './payouts/batch-page.js';
import { itemsDigest } from './payouts/portal-batches.js';
import { askPage } from './payouts/ask-page.js';
import { decidePage } from './payouts/decide-page.js';
import { type PayoutsModel, payoutsPage } from './payouts/payouts-page.js';
import { type Place } from './place.js';
import { type Delivery } from '#records/webhooks';
import { type ListedCall } from '#records/credentials';
import { type WebhookHour } from '#records/webhooks';
import { endpointDay, lastHours } from './developer/endpoint-day.js';
import { type RefundModel, refundPage } from './refunds/refund-page.js';
import { type RequestsModel, requestsPage } from './requests/requests-page.js';
import { type StatementModel, statementPage } from './statement/statement-page.js';
import { merchantTexts } from './texts-of.js';
import { foundPage } from './transactions/found-page.js';
import { itemHeading, type ItemModel, itemPage } from './transactions/item-page.js';
import { readListQuery } from './transactions/list-query.js';
import { correctByHandAction, correctionByHand } from './transactions/correct-by-hand.js';
import { timelineOf } from './transactions/timeline.js';
import { fileNameOf, transactionsAsCsv } from './transactions/transactions-file.js';
import { type TransactionsModel } from './transactions/transactions-model.js';
import { transactionsPage } from './transactions/transactions-page.js';

const viewer: Viewer = {
  person: { issuer: 'https://id.example', subject: 'asha' },
  name: hostile,
  language: 'en',
  formToken: 'the-token',
  sessionHash: Buffer.alloc(32),
  roles: [{ role: 'owner', merchantId: 'm-1' }],
  merchant: { merchantId: 'm-1', mode: 'live' },
};
const texts = merchantTexts(viewer);
const frame = { viewer, texts };
const place: Place = {
  merchantId: 'm-1',
  mode: 'live',
  name: hostile,
  timezone: 'Africa/Nairobi',
  accounts: [
    { accountNo: '100000001', currency: 'KES', channels: ['mpesa'] },
    { accountNo: '100000002', currency: 'KES', channels: ['mpesa'] },
  ],
  base: '/portal/merchants/m-1/live',
};
const at = instantFromMs(Date.UTC(2026, 10, 21, 22, 30));
const clock = { timezone: place.timezone, today: '2026-11-23', language: 'en' } as const;
const item: TransactionItem = {
  type: 'collection',
  reference: hostile,
  status: 'completed',
  currency: 'KES',
  amount_minor: 123_450n,
  fee_minor: 1_852n,
  id: '01a1fbba-5634-76de-a5c4-550311b90a35',
  account_no: '100000001',
  channel: 'mpesa',
  rail_reference: hostile,
  receipt: 'TKL33D3MJ7',
  failure_code: null,
  under_review: true,
  created_at: at,
  completed_at: at,
  paid_at: at,
  paid_at_known: true,
};
const balance = {
  accountNo: '100000001',
  currency: 'KES',
  position: 77n,
  asOf: at,
  postedMinor: -500n,
  reservedMinor: 0n,
  availableMinor: -500n,
};
const delivery: Delivery = {
  merchantId: 'm-1',
  mode: 'live',
  webhookId: '01a1fbba-5634-76de-a5c4-550311b90a35',
  kind: 'v4',
  sequence: 9n,
  type: 'collection.completed',
  owedAt: new Date(at),
  attempts: 2,
  nextAttemptAt: null,
  outcome: 'expired',
  endedAt: null,
  lastOutcome: hostile,
  lastStatus: null,
};
const webhooksModel: WebhooksModel = {
  place,
  clock,
  health: [],
  contacts: new Map([['v4', hostile]]),
  hours: lastHours(Date.parse(at)),
  attempted: [],
  query: { failing: true },
  deliveries: [delivery],
  items: new Map([[9n, { type: 'collection', reference: hostile } as const]]),
  failed: 1000,
  next: undefined,
  mayResend: true,
  mayChange: true,
  endpoints: [
    {
      merchantId: 'm-1',
      mode: 'live',
      kind: 'v4',
      url: hostile,
      enabled: true,
      standardHeaders: false,
    },
  ],
};
const open = (stream: string, reference: string) => ({
  ...({
    finding: 'amount_differs',
    receipt: hostile,
    stream,
    reference,
    amountMinor: -250n,
  } as const),
});
const mpesaOnly = [{ channel: 'mpesa', since: undefined }];
const day: DayModel = {
  place,
  account: { accountNo: '100000001', currency: 'KES', channels: ['mpesa'] },
  channel: 'mpesa',
  rails: mpesaOnly,
  day: '2026-11-21',
  clock,
  isOver: true,
  figures: {
    statement: {
      from: '2026-11-21',
      to: '2026-11-21',
      begins: at,
      ends: at,
      isOver: true,
      after: 3n,
      upTo: 99n,
      openingMinor: 100_000n,
      closingMinor: 215_000n,
      entries: 4n,
      creditsMinor: 0n,
      debitsMinor: 0n,
      lastEntryAt: at,
    },
    sums: {
      collectedMinor: 150_000n,
      feesMinor: 3_000n,
      paidOutMinor: 31_000n,
      correctionsMinor: -1_000n,
      collections: 2n,
      payouts: 1n,
      corrections: 1n,
    },
  },
  recorded: {
    data: {
      merchantId: 'm-1',
      mode: 'live',
      accountNo: '100000001',
      currency: 'KES',
      date: '2026-11-21',
      fileSha256: 'ab'.repeat(32),
      fileLines: 3,
      position: '99',
      statementInMinor: 150_000n,
      statementOutMinor: 0n,
      collections: 2,
      collectionsMinor: 150_250n,
      collectionFeesMinor: 3_000n,
      payouts: 0,
      payoutsMinor: 0n,
      payoutFeesMinor: 0n,
      tallies: [
        {
          finding: 'amount_differs',
          count: 2,
          lines: 2,
          inMinor: 10n,
          outMinor: 0n,
          items: 2,
          itemsMinor: 10n,
          feesMinor: 0n,
        },
      ],
      open: 3,
      openNamed: [
        open('collection-live:m-1:INV-1', 'INV-1'),
        open('collection-live:m-2:OTHERS-7', 'OTHERS-7'),
        open('collection-demo:m-1:DEMO-7', 'DEMO-7'),
      ],
      otherDay: [],
    },
    by: `https://id.example#${hostile}`,
    at,
    wasOver: true,
    ageDays: 3,
    settled: new Set(),
  },
  handled: new Map(),
  names: new Map(),
  problem: { field: 'note', text: hostile },
  mayClose: true,
  mayExport: true,
};
const closed: Omit<ListedReconciliation, 'wasOver'> = {
  id: 'r-1',
  merchantId: 'm-1',
  mode: 'live',
  accountNo: '100000001',
  currency: 'KES',
  channel: 'mpesa',
  date: day.day,
  recordedAt: at,
  operator: hostile,
  fileSha256: 'ab',
  ledgerPosition: 99n,
  matched: 3,
  open: 0,
  revision: 1n,
};
const request: PayoutRequest = {
  merchantId: 'm-1',
  mode: 'live',
  accountNo: '100000001',
  currency: 'KES',
  channel: 'mpesa',
  amountMinor: 125_000n,
  feeMinor: 2_500n,
  reference: hostile,
  phoneHmac: 'secret-hmac',
  phoneMasked: '2547*****678',
  holder: hostile,
};
const decide = {
  place,
  names: new Map(),
  request,
  isOwn: false,
  isWaiting: true,
  mayDecide: true,
  mayCancel: true,
  isPaused: true,
  lastDigits: hostile,
  availableMinor: 900_000n,
} as const;
const waiting: UnsettledPayout = {
  merchantId: 'm-1',
  mode: 'live',
  reference: hostile,
  status: 'pending_approval',
  step: 'reserved',
  since: at,
  amountMinor: 125_000n,
  currency: 'KES',
  accountNo: '100000001',
  batch: null,
  waitingForFloat: false,
  isPaused: false,
  underReview: false,
};
const payouts: PayoutsModel = {
  place,
  clock,
  waiting: [waiting, { ...waiting, reference: 'w-1', batch: hostile }],
  facts: new Map([
    [
      hostile,
      { to: '2547*****678', feeMinor: 2_500n, by: hostile, refundOf: hostile, isOwn: false },
    ],
  ]),
  mayDecide: true,
  mayCancel: true,
  mayAsk: true,
  balances: [{ ...balance, availableMinor: 900_000n, reservedMinor: 127_500n }],
  latest: [item],
};
const checked = {
  place,
  channels: ['mpesa'],
  problems: {},
  balances: [],
  typed: {
    account: '100000001',
    channel: '',
    phone: hostile,
    amount: '1250',
    reference: hostile,
  },
  checked: {
    currency: 'KES',
    amountMinor: 125_000n,
    feeMinor: 2_500n,
    phone: hostile,
    availableMinor: 900_000n as bigint | undefined,
  },
};
const refund: RefundModel = {
  place,
  found: {
    leftMinor: 10_000n,
    isReversible: true,
    isPayable: true,
    collection: {
      intent: {
        reference: hostile,
        currency: 'KES',
        accountNo: '100000001',
        phoneMasked: hostile,
      },
    },
  } as unknown as RefundModel['found'],
  typed: { how: 'part', amount: hostile, phone: hostile, reference: hostile },
  wrong: { field: 'phone', text: hostile },
  availableMinor: 900_000n,
};
const credential: OwnCredential = {
  credentialId: '019aa5d5-b000-7000-8000-000000000000',
  kind: 'v4',
  mode: 'live',
  holder: hostile,
  name: hostile,
  revoked: false,
  publicKeyPem: hostile,
  ipRanges: [hostile],
  expiresAt: null,
};
const whenShown = { place, clock, now: new Date(at) };
const asked = {
  merchantId: 'm-1',
  about: hostile,
  reason: hostile,
  askedBy: hostile,
  askedAt: at,
  endsAt: at,
  endedReason: hostile,
  digest: 'd',
};
const ofPerson = { merchantId: 'm-1', person: hostile, name: hostile, role: 'owner' };
const ofKey = { merchantId: 'm-1', credentialId: hostile, ipRanges: [hostile] };
/** Requests for access, whose texts others chose, and one whose details no form writes. */
const requested: Pick<KeysModel, 'requests' | 'names'> = {
  requests: [
    { ...asked, id: '1', kind: 'role', status: 'sent', details: JSON.stringify(ofPerson) },
    { ...asked, id: '2', kind: 'ip_list', status: 'taken', details: JSON.stringify(ofKey) },
    { ...asked, id: '3', kind: 'credential', status: 'done', details: '{"merchantId":"m-2"}' },
  ],
  names: new Map([[hostile, hostile]]),
};
const sentKey = {
  values: new URLSearchParams({
    public_key: hostile,
    holder: hostile,
    ips: hostile,
    reason: hostile,
  }),
  errors: { public_key: hostile, ips: hostile, reason: hostile },
};
const signed = {
  raw: '',
  method: hostile,
  path: hostile,
  query: '',
  body: hostile,
  theirs: hostile,
  headers: `X-PP-Nonce: ${hostile}\nX-PP-Timestamp: 1`,
};

const call: ListedCall = {
  id: 4n,
  credentialId: credential.credentialId,
  requestId: 'r-1',
  method: 'GET',
  route: '/api/v4/transactions',
  target: '/api/v4/transactions?limit=5',
  status: 404,
  code: 'not_found',
  durationMs: 12,
  at: new Date(at),
};

const statement: StatementModel = {
  place,
  problem: 'wrongDays',
  today: '2026-03-05',
  typed: { account: hostile, from: hostile, to: hostile, format: hostile },
};

const callsModel: RequestsModel = {
  place,
  clock,
  credentials: [credential],
  query: { onlyRefused: false },
  calls: [],
  count: { calls: 0, refused: 0, hasMore: false },
  next: undefined,
};

const listed = {
  items: [item],
  phones: new Map([[item.id, '2547*****678']]),
  position: 77n,
  asOf: at,
};
const foundBy = (by: 'word' | 'beginning') =>
  ({ items: [item], phones: listed.phones, hasMore: true, by }) as const;

const pages: Readonly<Record<string, () => Html>> = {
  transactions: () =>
    transactionsPage(
      {
        place,
        read: readListQuery(new URLSearchParams({ batch: hostile, at: hostile })),
        shown: { list: { ...listed, next: 5n }, balances: [balance] },
        views: [{ name: hostile, query: `batch=${hostile}` }],
        clock,
      },
      frame,
    ),
  found: () => foundPage({ place, clock, word: hostile, found: foundBy('word') }, texts),
  item: () =>
    itemPage(
      {
        place,
        clock,
        item,
        names: new Map(),
        receipt: undefined,
        deliveries: [delivery],
        steps: [{ at, step: { kind: 'declined', failureCode: hostile } }],
      },
      texts,
    ),
  statement: () => statementPage(statement, frame),
  days: () =>
    daysPage(
      {
        place,
        account: day.account,
        rails: mpesaOnly,
        days: ['2026-11-21'],
        reconciled: new Map(),
        figures: new Map(),
        differences: new Map(),
        mayClose: true,
        names: new Map(),
        clock,
        earlier: '2026-11-20',
      },
      frame,
    ),
  day: () => dayPage(day, frame),
  payouts: () => payoutsPage(payouts, frame),
  ask: () =>
    askPage(
      {
        place,
        channels: ['mpesa', hostile],
        balances: [],
        problems: { phone: hostile, channel: hostile },
        typed: {
          account: hostile,
          channel: hostile,
          phone: hostile,
          amount: hostile,
          reference: hostile,
        },
      },
      frame,
    ),
  checked: () => askPage(checked, frame),
  decide: () => decidePage(decide, hostile, frame),
  askBatch: () =>
    askBatchPage(
      {
        place,
        channels: ['mpesa', hostile],
        typed: { account: hostile, channel: hostile, reference: hostile },
        problems: [hostile],
      },
      frame,
    ),
  refund: () => refundPage(refund, frame),
  checkedRefund: () =>
    refundPage({ ...refund, checked: { amountMinor: 5_000n, isReversed: false } }, frame),
  batch: () =>
    batchPage(
      {
        place,
        names: new Map(),
        status: 'pending_approval',
        isOwn: false,
        mayDecide: true,
        mayCancel: true,
        shown: { items: [request], digest: 'd'.repeat(64) },
        lastDigits: new Map([[hostile, hostile]]),
        problem: hostile,
        request: {
          merchantId: 'm-1',
          mode: 'live',
          accountNo: '100000001',
          currency: 'KES',
          channel: 'mpesa',
          reference: hostile,
          references: [hostile],
          holder: hostile,
          count: 1,
          amountMinor: 5_000n,
        },
      },
      frame,
    ),
  keys: () =>
    keysPage(
      {
        place,
        clock,
        credentials: [credential],
        lastUses: new Map(),
        now: new Date(at),
        mayChange: true,
        ...requested,
      },
      frame,
    ),
  team: () =>
    teamPage(
      {
        clock,
        held: [
          {
            person: hostile,
            name: hostile,
            role: 'owner',
            merchantId: 'm-1',
            proposedBy: hostile,
            grantedAt: at,
            isSuspended: false,
          },
        ],
        place,
        sent: sentKey,
        ...requested,
      },
      frame,
    ),
  newKey: () => newKeyPage({ place, asks: false, sent: { form: 'new', ...sentKey } }, frame),
  askForKey: () => newKeyPage({ place, asks: true, sent: undefined }, frame),
  key: () => keyPage({ ...whenShown, credential, sent: { form: 'ips', ...sentKey } }, frame),
  webhooks: () => webhooksPage(webhooksModel, frame),
  endpoint: () =>
    endpointPage(
      {
        place: { ...place, mode: 'demo' },
        kind: 'v4',
        failuresTo: hostile,
        sendsMail: true,
        endpoint: {
          merchantId: 'm-1',
          mode: 'demo',
          kind: 'v4',
          url: hostile,
          enabled: true,
          standardHeaders: false,
        },
        sent: {
          form: 'set',
          values: new URLSearchParams({ url: hostile, reason: hostile }),
          errors: { url: hostile, reason: hostile },
        },
        tested: ok({ outcome: hostile, status: undefined, durationMs: 3 }),
      },
      frame,
    ),
  failed: () =>
    failedPage(
      {
        place,
        clock,
        typed: { day: hostile, clock: hostile },
        error: hostile,
        found: { since: new Date(at), until: new Date(at), count: 3 },
      },
      frame,
    ),
  resent: () =>
    resentPage(
      {
        place,
        clock,
        more: 2,
        items: new Map([[9n, { type: 'payout', reference: hostile } as const]]),
        resent: [{ delivery: { ...delivery, type: hostile }, problem: 'gone' }],
      },
      texts,
    ),
  secret: () => secretPage([[hostile, hostile]], { texts, back: html`` }),
  delivery: () =>
    deliveryPage(
      {
        place,
        clock,
        deliveries: [delivery],
        attempts: [],
        mayResend: true,
        problem: 'disabled',
        item: { type: 'payout', reference: hostile },
        event: {
          id: delivery.webhookId,
          merchantId: 'm-1',
          mode: 'live',
          sequence: 9n,
          type: 'collection.completed',
          recordedAt: new Date(at),
          body: hostile,
        },
      },
      frame,
    ),
  signature: () =>
    signaturePage(
      { place, pasted: signed, found: debugSignature(signed), verifiedBy: hostile },
      frame,
    ),
  v3: () =>
    v3Page(
      {
        now: at,
        gaDate: '2026-01-01',
        days: ['2026-11-21'],
        uncountedDays: [],
        unknownCalls: 0,
        unattributedCalls: 0,
        merchants: [
          {
            merchantId: 'm-1',
            name: hostile,
            v3Credentials: 1,
            checkoutKeys: 0,
            v4: { state: 'none', lastDay: undefined },
            calls: [],
            callsInWindow: 7,
            lastCallDay: undefined,
            routes: { [hostile]: 7, collect: 2 },
            links: { days: [], inWindow: 3, movableInWindow: 1, flagged: true },
            phoneReferencesInWindow: 2,
            v4Collections: [],
            missing: ['v4_credential_not_issued', 'sha1_links_still_used'],
          },
        ],
      },
      frame,
    ),
  requests: () =>
    requestsPage(
      {
        place,
        clock,
        credentials: [credential],
        count: { calls: 9, refused: 9, hasMore: true },
        next: 3n,
        query: { onlyRefused: false, text: hostile },
        calls: [
          {
            ...call,
            requestId: hostile,
            route: hostile,
            target: hostile,
            code: hostile,
          },
        ],
      },
      frame,
    ),
};

describe('a merchant’s pages', () => {
  it.each(Object.entries(pages))('%s lets nothing of what others wrote be markup', (_, page) => {
    const { text } = page();
    expect(foreignMarkup(text)).toEqual([]);
    expect(text).not.toContain('secret-hmac');
    // No id occurs twice in the page.
    const ids = [...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it.each(Object.entries(pages))(
    '%s carries the form’s token in each form that is posted',
    (_, page) => {
      const forms = page().text.split('<form').slice(1);
      for (const form of forms.filter((text) => text.includes('method="post"')))
        expect(form.split('</form>')[0]).toContain('name="form_token" value="the-token"');
    },
  );

  it('speak Swahili with every text in its place', () => {
    const swahili = merchantTexts({ language: 'sw' });
    const emptyIn = (of: object): string[] =>
      Object.entries(of).flatMap(([name, value]: [string, unknown]) =>
        value === '' ? [name] : typeof value === 'object' && value !== null ? emptyIn(value) : [],
      );
    expect(emptyIn(swahili)).toEqual(emptyIn(texts));
    expect(itemHeading(item, swahili).text).toContain('Imekamilika');
  });
});

/** An item's page, as plain as it can be. */
const base: ItemModel = {
  place,
  clock,
  item,
  names: new Map(),
  steps: [],
  receipt: undefined,
  deliveries: undefined,
};

async function csvOf(items: readonly TransactionItem[]): Promise<readonly string[]> {
  async function* each() {
    await Promise.resolve();
    yield* items;
  }
  const lines: string[] = [];
  for await (const line of transactionsAsCsv(each(), place)) lines.push(line);
  return lines;
}

const listOf = (search: string, over: Partial<TransactionsModel> = {}): string =>
  transactionsPage(
    {
      place,
      read: readListQuery(new URLSearchParams(search)),
      shown: { list: listed, balances: [balance] },
      views: [],
      clock,
      ...over,
    },
    frame,
  ).text;

describe('the list', () => {
  const text = pages['transactions']?.().text ?? '';
  it('shows times in the merchant’s zone, amounts exactly, and the position of its figures', () => {
    expect(text).toContain('title="2026-11-22 01:30:00 EAT">22 Nov 01:30<');
    expect(text).toContain('Amount (KES)');
    expect(text).toContain('<span class="unit">KES </span><span class="money">1,234.50</span>');
    expect(text).toContain('KES −5.00');
    expect(text).toContain('Ledger position 77');
  });

  it('shows only the minutes of a payment of today', () => {
    expect(listOf('', { clock: { ...clock, today: '2026-11-22' } })).toContain('EAT">01:30<');
  });

  it('leads to what follows by the API’s own cursor', () => {
    expect(text).toContain('rel="next"');
    expect(text).toMatch(/transactions\?cursor=[A-Za-z0-9_-]{18}"/);
  });

  it('names the currency of each amount if there are several', () => {
    const items = [item, { ...item, currency: 'UGX' }];
    const text = listOf('', {
      shown: { list: { ...listed, items }, balances: [balance] },
    });
    expect(text).toContain('UGX 1,234.50');
    expect(text).not.toContain('Amount (');
  });

  it('keeps the meaning of a table if its rows are shown as cards', () => {
    const of = (role: string) => text.split(`role="${role}"`).length - 1;
    expect(['table', 'columnheader', 'rowheader', 'rowgroup'].map(of)).toEqual([1, 7, 2, 3]);
    expect(text.split('<tr').length - 1).toBe(of('row'));
    expect(text.match(/<t[dh](?![^>]*role=)/g)).toBeNull();
  });

  it('says of an empty tab of attention that nothing needs it', () => {
    const shown = { list: { ...listed, items: [] }, balances: [] };
    expect(listOf('attention=true', { shown })).toContain(texts.list.noAttention.text);
    expect(listOf('', { shown })).toContain(texts.list.none.text);
  });

  it.each([
    ['from=2026-11-22&to=2026-11-22', 'KES 0.00 collected', 'Yesterday, 22 Nov: no trans', ''],
    ['from=2026-11-23&to=2026-11-23', 'KES 0.00 collected', 'Today, 23 Nov: no trans', ''],
    ['type=payout&from=2026-11-01', 'KES 0.00 paid out', 'Since 1 Nov: no', '?type=payout'],
    ['to=2026-11-07', 'KES 0.00 collected', 'Until 7 Nov: no', ''],
    ['from=2026-11-01&to=2026-11-07', 'KES 0.00 collected', '1 Nov – 7 Nov: no', ''],
    ['from=2026-11-01&status=failed', 'No transactions found', 'matches these filters', ''],
  ])('without rows for %s says %s, and clears the filters', (search, figure, days, tab) => {
    const text = listOf(search, { shown: { list: { ...listed, items: [] }, balances: [] } });
    const [, box = ''] = text.split('class="empty"');
    expect(box).toContain(figure);
    expect(box).toContain(days);
    expect(box.replaceAll(/\s+/g, ' ')).toContain(
      `<a class="button secondary" href="${place.base}/transactions${tab}" >${texts.list.clear}</a`,
    );
  });

  it('has the masked number of each customer after its reference', () => {
    expect(text).toMatch(/class="ref"[^]*?<\/th>\s*<td role="cell" class="customer">2547\*{5}678</);
  });

  it('names the type of each row, but not in the tab of one type', () => {
    expect(text).toContain('class="type"');
    for (const type of ['collection', 'payout'])
      expect(listOf(`type=${type}`)).not.toContain('class="type"');
  });

  it('is one box with the guide if the mode has no account', () => {
    for (const [mode, guide] of [
      ['live', '/docs/going-live'],
      ['demo', '/docs/quick-start'],
    ] as const) {
      const closed = { place: { ...place, mode, accounts: [] } };
      const only = listOf('', closed);
      expect(only).toContain(texts.common.notOpened[mode].text);
      expect(only).toContain(`href="${guide}"`);
      expect(only).not.toMatch(/class="(tabs|chips|balances|list)/);
    }
  });

  it('sums what is completed, or the status of the filter, and says if it is of the page only', () => {
    const items = [item, { ...item, status: 'failed' } as const, { ...item, amount_minor: 50n }];
    const list = { ...listed, items };
    const shown = { list, balances: [] };
    const foot = (text: string) => text.split('<tfoot')[1]?.replaceAll(/<[^>]+>|\s+/g, ' ') ?? '';
    expect(foot(listOf('', { shown }))).toMatch(/1,235\.00 .*Completed collections \(2\)/);
    expect(foot(listOf('status=failed', { shown }))).toMatch(
      /1,234\.50 .*Failed collections \(1\)/,
    );
    expect(foot(listOf('attention=true', { shown }))).toContain(
      'Collections that need attention (3)',
    );
    const first = { list: { ...list, next: 5n }, balances: [] };
    expect(foot(listOf('', { shown: first }))).toContain('(2) on this page');
    const totals = [
      { type: 'payout', status: 'completed', currency: 'KES', count: 9, amountMinor: 7n } as const,
    ];
    const whole = foot(listOf('', { shown: { ...first, totals } }));
    expect(whole).toMatch(/0\.07 .*Completed payouts \(9\)/);
    expect(whole).not.toContain('on this page');
  });
});

describe('the results of a search', () => {
  const shown = (found: Parameters<typeof foundPage>[0]['found'], word = 'INV-') =>
    foundPage({ place, clock, word, found }, texts).text;

  it('are rows of the list, without another search form', () => {
    const text = shown(foundBy('beginning'));
    expect(text).toContain('class="amount-cell"');
    expect(text).toContain('Payments that match “INV-”');
    expect(text).toContain(texts.list.find.moreBeginning);
    expect(text).not.toContain('<form');
    expect(text).not.toContain('<tfoot');
  });

  it('never repeat a searched phone number in full', () => {
    const found = { ...foundBy('word'), by: 'phone', phoneMasked: '2547*****678' } as const;
    const text = shown(found, '0712345678');
    expect(text).toContain('the customer 2547*****678');
    expect(text).not.toContain('0712345678');
  });

  it('say what can be searched if there are no results', () => {
    for (const found of [undefined, { ...foundBy('word'), items: [] }])
      expect(shown(found)).toMatch(/receipt[^]*phone number[^]*first 4/);
  });
});

describe('the filters of the list', () => {
  const formsOf = (text: string) =>
    text
      .split('<form method="get"')
      .slice(1)
      .map((form) => form.split('</form>')[0] ?? '');

  it('are forms that each keep the others, and lead to the first page', () => {
    const cursor = encodeCursor(42n);
    const search = `type=payout&status=failed&from=2026-11-01&batch=salaries&cursor=${cursor}`;
    const [status = '', date = '', account = '', more = ''] = formsOf(listOf(search));
    const kept = (form: string) =>
      [...form.matchAll(/type="hidden" name="(\w+)"/g)].map(([, name]) => name);
    expect(kept(status)).toEqual(['type', 'from', 'batch']);
    expect(kept(date)).toEqual(['type', 'status', 'batch']);
    expect(kept(account)).toEqual(['type', 'status', 'from', 'batch']);
    expect(kept(more)).toEqual(['type', 'status', 'from']);
  });

  it('show their value once set, with a link that clears one and a link that clears all', () => {
    const text = listOf('type=payout&status=failed&from=2026-11-01&to=2026-11-30');
    expect(text).toMatch(/Status: Failed/);
    expect(text).toMatch(/Created: 1 Nov – 30 Nov/);
    expect(text).toContain('transactions?type=payout&amp;from=2026-11-01&amp;to=2026-11-30"');
    expect(text).toContain('transactions?type=payout"');
    expect(text).toContain(texts.list.clear);
    expect(listOf('type=payout')).not.toContain(texts.list.clear);
  });

  it('have the account if there are several', () => {
    const accounts = [
      ...place.accounts,
      { accountNo: '100000002', currency: 'KES', channels: ['mpesa'] },
    ];
    const of = { place: { ...place, accounts } };
    const single = { place: { ...place, accounts: place.accounts.slice(0, 1) } };
    expect(listOf('', single)).not.toContain('name="account"');
    expect(listOf('', of)).toMatch(/name="account"[^]*100000002 \(KES\)/);
    const text = listOf('attention=true&account=100000002', of);
    expect(text).toContain('Account: 100000002');
    expect(text).toContain('transactions?type=payout&amp;account=100000002"');
    expect(text).toContain(`transactions?attention=true">${texts.list.clear}`);
  });

  it('can be saved once one is set', () => {
    const { keep } = texts.list.views;
    for (const search of ['', 'type=payout', 'attention=true'])
      expect(listOf(search)).not.toContain(keep);
    expect(listOf('status=failed')).toContain(keep);
  });

  it('are open at the one that is wrong', () => {
    const text = listOf('at=never', { shown: undefined });
    expect(text).toContain('id="filters"');
    expect(text.match(/<details\s+class="chip"\s+open/g)).toHaveLength(1);
    expect(text).toContain('aria-invalid="true"');
  });

  it.each([
    ['', 'All'],
    ['type=collection&status=completed', 'Collections'],
    ['type=payout', 'Payouts'],
    ['attention=true', 'Needs attention'],
    ['attention=true&account=100000001', 'Needs attention'],
    ['status=pending_approval', 'All'],
    ['status=failed', 'Failed'],
    ['status=failed&from=2026-11-01', 'Mine'],
  ])('%j is the tab %s', (search, tab) => {
    const text = listOf(search, {
      views: [{ name: 'Mine', query: 'status=failed&from=2026-11-01' }],
    });
    const current = [...text.matchAll(/aria-current="page">([^<]+)/g)].map(([, name]) => name);
    expect(current).toEqual([tab]);
  });
});

describe('the file of the list', () => {
  it('has the filters’ days in its name', () => {
    const nameOf = (search: string) => fileNameOf(readListQuery(new URLSearchParams(search)).query);
    expect(nameOf('')).toBe('transactions.csv');
    expect(nameOf('type=payout&from=2026-11-01&to=2026-11-30')).toBe(
      'transactions-payout-2026-11-01-2026-11-30.csv',
    );
    expect(nameOf('attention=true&account=100000001')).toBe(
      'transactions-needs-attention-100000001.csv',
    );
    expect(nameOf('status=pending_approval&from=2026-11-01&at=2026-11-21')).toBe(
      'transactions-pending-approval-2026-11-01-last-as-of-2026-11-21.csv',
    );
  });

  it('gives the day of the merchant’s zone and runs no formula that others wrote', async () => {
    const formula = '=HYPERLINK("http://x")';
    const [head, row] = await csvOf([{ ...item, reference: formula, receipt: '@SUM(1)' }]);
    expect(head).toMatch(/^date,type,reference,.*\r\n$/);
    expect(row).toMatch(/^2026-11-22,collection,"'=HYPERLINK\(""http:\/\/x""\)",completed,yes,/);
    expect(row).toContain(`,1234.50,18.52,KES,100000001,'@SUM(1),`);
  });

  it('says what was refunded, and which payment a refund gives back', async () => {
    const [head, collection, refund] = await csvOf([
      { ...item, refund_status: 'partial', refunded_minor: 40_000n },
      { ...item, type: 'payout', refund_of: '=INV-1' },
    ]);
    expect(head).toMatch(/,refund_status,refunded,refund_of\r\n$/);
    expect(collection).toMatch(/,partial,400\.00,\r\n$/);
    expect(refund).toMatch(/,,,'=INV-1\r\n$/);
  });
});

describe('a correction of a payment that was refunded by hand', () => {
  it('takes the whole posting back', () => {
    const address = correctionByHand(place, { ...item, reference: 'INV-1' }) ?? '';
    const fields = new URL(address, 'http://localhost').searchParams;
    expect(Object.fromEntries(fields)).toEqual({
      correction_merchant: 'm-1',
      correction_mode: 'live',
      correction_currency: 'KES',
      correction_legs: 'rail-clearing:mpesa=123450\nwallet:100000001=-121598\nfees=-1852',
      correction_corrects: 'collection-live:m-1:INV-1',
    });
  });

  it('is only of a completed collection without a refund, for people who decide corrections', () => {
    for (const over of [
      { status: 'failed' },
      { status: 'pending' },
      { type: 'payout' },
      { refund_status: 'pending' },
    ] as const)
      expect(correctionByHand(place, { ...item, ...over })).toBeUndefined();
    const actionFor = (roles: Viewer['roles']) =>
      correctByHandAction(place, item, { viewer: { ...viewer, roles }, texts })?.text;
    expect(actionFor(viewer.roles)).toBeUndefined();
    expect(actionFor([{ role: 'support' }])).toBeUndefined();
    const action = actionFor([{ role: 'finance' }]);
    expect(action).toContain('/portal/corrections/new?');
    expect(action).toContain('Correct (refunded by hand)');
  });
});

describe('an item', () => {
  it('shows its merchant what it means for the money, and nothing of the platform’s people', () => {
    const event = (type: string, data: object) => ({ type, data, recordedAt: at });
    const events = [
      event('CollectionIntentRecorded', { amountMinor: 100n, phoneMasked: '2547*****678' }),
      event('ReviewFlagged', { why: 'opened_by_operator' }),
      event('ReviewDecided', { decision: 'paid', reason: 'because of bob', proposedBy: 'bob' }),
      event('WalletPosted', { amountMinor: 100n, feeMinor: 2n }),
    ] as unknown as RecordedEvent<ItemEvent>[];
    const { text } = itemPage({ ...base, steps: timelineOf(events) }, texts);
    expect(text).toContain('2547*****678');
    expect(text).toContain(texts.item.steps.decided);
    expect(text).not.toContain('bob');
    expect(text).not.toContain('opened_by_operator');
  });
});

describe('the page of an item', () => {
  const asked = {
    at,
    step: { kind: 'asked', amountMinor: 10_000n, phone: '2547*****678' },
  } as const;
  const other = { at, step: { kind: 'other_amount', amountMinor: 10_001n } } as const;
  const pending = {
    ...item,
    status: 'pending',
    amount_minor: 10_000n,
    completed_at: null,
  } as const;
  const plainOf = (model: Partial<ItemModel>) =>
    itemPage({ ...base, ...model }, texts)
      .text.replaceAll(/<[^>]+>|\s+/g, ' ')
      .replaceAll(/ +/g, ' ');

  it('in review says what was asked, what arrived, and that it is not in the balance yet', () => {
    const text = plainOf({ item: pending, steps: [asked, other] });
    expect(text).toContain('M-Pesa paid KES 100.01, but you asked for KES 100.00.');
    expect(text).toContain(texts.item.review.pending.collection);
    const payout = plainOf({ item: { ...pending, type: 'payout' } });
    expect(payout).toContain(texts.item.review.pending.payout);
    expect(payout).not.toContain('M-Pesa paid');
    const settled = plainOf({ item: { ...item, under_review: false } });
    expect(settled).not.toContain(texts.item.review.title);
  });

  it('has an expected fee until the money is posted, and no words about a receipt', () => {
    const open = plainOf({ item: pending });
    expect(open).toContain('Expected fee KES 18.52');
    expect(plainOf({ item })).toMatch(/ Fee KES 18\.52/);
    for (const status of ['pending', 'failed'] as const)
      expect(plainOf({ item: { ...item, status, receipt: null }, receipt: undefined })).not.toMatch(
        /receipt|unavailable/i,
      );
  });

  it('gives exact times with their day, the customer and the reference once', () => {
    const text = plainOf({ item: { ...item, reference: 'INV-77' }, steps: [asked] });
    expect(text).toContain('Completed 22 Nov 2026, 01:30:00');
    expect(text).toContain('Timeline EAT');
    expect(text).toContain('Payment requested 01:30:00');
    expect(text).toContain('Customer 2547*****678');
    expect(text.replace('Copy INV-77', '').split('INV-77')).toHaveLength(2);
    expect(itemHeading(item, texts).text).toContain('KES 1,234.50');
  });
});

describe('the list of transactions', () => {
  it('begins with the balances, and each row with its amount', () => {
    const text = pages['transactions']?.().text ?? '';
    const { common, list } = texts;
    const places = [list.balances, list.filter, list.caption].map((words) => text.indexOf(words));
    expect(places).toEqual(places.toSorted((one, other) => one - other));
    const heads = [...text.matchAll(/<th\s+scope="col"[^>]*>([^<]+)/g)].map(([, word]) => word);
    expect(heads).toEqual([
      ...['Amount (KES)', common.status, common.reference, common.customer],
      ...[common.type, list.receiptOrReason, common.created],
    ]);
  });
});

describe('the timeline of an item', () => {
  it('has the newest step first, under its day, with its time', () => {
    const before = instantFromMs(Date.UTC(2026, 10, 20, 9, 5));
    const steps = [
      { at: before, step: { kind: 'prompt_shown' } },
      { at, step: { kind: 'declined', failureCode: 'wrong_pin' } },
    ] as const;
    const { text } = itemPage({ ...base, steps }, texts);
    const { declined, prompt_shown } = texts.item.steps;
    const order = ['22 Nov', declined, '>01:30:00<', '20 Nov', prompt_shown, '>12:05:00<'];
    const places = order.map((each) => text.indexOf(each));
    expect(places).toEqual(places.toSorted((one, other) => one - other));
    expect(Math.min(...places)).toBeGreaterThan(0);
    expect(text).toContain('<span class="dot bad">');
  });
});

it.each([
  ['completed', 1],
  ['pending', 1],
  ['failed', 0],
  ['rejected', 0],
] as const)(
  'an item that is %s shows its fee %i times, on its page and in the file',
  async (status, count) => {
    const of = { ...item, status };
    const { text } = itemPage({ ...base, item: of }, texts);
    expect(text.split('KES 18.52')).toHaveLength(count + 1);
    const [, row = ''] = await csvOf([of]);
    expect(row.split(',18.52,')).toHaveLength(count + 1);
  },
);

it('an item says in the viewer’s language why it failed, with the code beside it', () => {
  const failed = { ...item, status: 'failed', failure_code: 'wrong_pin' } as const;
  const model = { ...base, item: failed };
  for (const [language, words] of [
    ['en', 'Wrong M-Pesa PIN'],
    ['sw', 'PIN ya M-Pesa si sahihi'],
  ] as const) {
    const { text } = itemPage(model, merchantTexts({ language }));
    expect(text).toContain(`${words} <small><code>wrong_pin</code></small>`);
  }
});

it('a payout names the person who requested it and the person who approved it', () => {
  const by = 'https://id.example#asha';
  const steps = [{ at, step: { kind: 'approved', by } }] as const;
  const asked = { ...decide, request: { ...request, holder: by } };
  const shown = (names: ReadonlyMap<string, string>): string[] => [
    decidePage({ ...asked, names }, undefined, frame).text,
    itemPage({ ...base, names, steps }, texts).text,
  ];
  for (const text of shown(new Map([[by, 'Asha Ali']]))) expect(text).toContain('Asha Ali');
  for (const text of shown(new Map())) {
    expect(text).toContain('asha');
    expect(text).not.toContain('id.example');
  }
});

describe('a day’s close', () => {
  const text = pages['day']?.().text ?? '';
  it('is requested again after the day if it was recorded early, and no list reports it as in order', () => {
    const { recorded } = day;
    if (!recorded) throw new TypeError('the day has a comparison');
    const data = { ...recorded.data, open: 0, openNamed: [] };
    const shown = (wasOver: boolean, isOver: boolean): string =>
      dayPage({ ...day, isOver, recorded: { ...recorded, data, wasOver } }, frame).text +
      daysPage(
        {
          place,
          account: day.account,
          rails: mpesaOnly,
          days: [day.day],
          earlier: undefined,
          clock: { ...clock, today: isOver ? '2026-11-22' : day.day },
          figures: new Map(),
          differences: new Map(),
          mayClose: true,
          reconciled: new Map([[comparisonKey(day.day, 'mpesa'), { ...closed, wasOver }]]),
          names: new Map(),
        },
        frame,
      ).text;
    const { closeAgain, closedEarly, matched, noExceptions, noExceptionsYet } = texts.days;
    for (const isOver of [false, true]) {
      expect(shown(false, isOver)).toContain(noExceptionsYet.todo);
      expect(shown(false, isOver)).not.toContain(noExceptions.todo);
    }
    expect(shown(true, true)).toContain(noExceptions.todo);
    const told = [closeAgain, closedEarly, statusMark('matched', matched).text];
    const toldOf = (text: string) => told.map((words) => text.split(words).length - 1);
    expect(toldOf(shown(false, true))).toEqual([1, 2, 0]);
    // Before the day is over no one can do better, and a notice says that its figures still grow.
    expect(toldOf(shown(false, false))).toEqual([0, 0, 2]);
    expect(toldOf(shown(true, true))).toEqual([0, 0, 2]);
  });

  it('names who closed it, in the list as well, and a person without a name by the issuer’s subject', () => {
    const { recorded } = day;
    if (!recorded) throw new TypeError('the day has a comparison');
    const by = 'https://id.example#asha';
    const list = {
      place,
      account: day.account,
      rails: mpesaOnly,
      days: [day.day],
      clock,
      figures: new Map(),
      differences: new Map(),
      mayClose: true,
      earlier: undefined,
      reconciled: new Map([
        [comparisonKey(day.day, 'mpesa'), { ...closed, operator: by, wasOver: true }],
      ]),
    };
    const shown = (names: ReadonlyMap<string, string>): string[] => [
      dayPage({ ...day, recorded: { ...recorded, by }, names }, frame).text,
      daysPage({ ...list, names }, frame).text,
    ];
    for (const text of shown(new Map([[by, 'Asha Ali']]))) expect(text).toContain('Asha Ali');
    for (const text of shown(new Map())) expect(text).toMatch(/>asha[<,]/);
  });

  const listed = {
    place,
    account: day.account,
    rails: mpesaOnly,
    days: ['2026-11-23', '2026-11-22', day.day],
    clock,
    figures: new Map([
      ['2026-11-22', { collectedMinor: 500_00n, paidOutMinor: 0n }],
      [day.day, { collectedMinor: 150_250n, paidOutMinor: 31_000n }],
    ]),
    differences: new Map([[comparisonKey(day.day, 'mpesa'), -250n]]),
    mayClose: true,
    earlier: undefined,
    reconciled: new Map([[comparisonKey(day.day, 'mpesa'), { ...closed, open: 1, wasOver: true }]]),
    names: new Map(),
  };
  const rowsOf = (model: DaysModel): readonly string[] =>
    daysPage(model, frame)
      .text.split('<tr role="row">')
      .map((row) => row.replaceAll(/<[^>]+>|\s+/g, ' ').replaceAll(/ +/g, ' '));

  it('is listed with the ledger’s figures, compared or not, and the difference once it is compared', () => {
    const rows = rowsOf(listed);
    expect(rows[1]).toMatch(/Collected \(KES\) .*Paid out \(KES\) .*Difference \(KES\)/);
    expect(rows[2]).toMatch(/Today .*KES 0\.00 .*Paid out 0\.00 – .*Not compared/);
    expect(rows[3]).toMatch(/22 Nov .*KES 500\.00 .*Paid out 0\.00 – .*Not compared/);
    expect(rows[4]).toMatch(/21 Nov .*KES 1,502\.50 .*Paid out 310\.00 −2\.50 .*Open: 1/);
    expect(rows[5]).toMatch(/Total .*KES 2,002\.50 .*Paid out 310\.00 −2\.50/);
  });

  it('is compared from its row if it is over and was not compared since, by people who may', () => {
    const comparable = (over: Partial<DaysModel>) => {
      const { text } = daysPage({ ...listed, ...over }, frame);
      return [...text.matchAll(/\/days\/([\d-]+)\?account=\d+#upload/g)].map(([, date]) => date);
    };
    expect(comparable({})).toEqual(['2026-11-22']);
    const early = new Map([[comparisonKey(day.day, 'mpesa'), { ...closed, wasOver: false }]]);
    expect(comparable({ reconciled: early })).toEqual(['2026-11-22', day.day]);
    expect(comparable({ mayClose: false })).toEqual([]);
  });

  it('is compared with the statement of each rail that the account had by then', () => {
    const [before, since] = ['2026-11-21', '2026-11-22'];
    const both = {
      ...listed,
      rails: [...mpesaOnly, { channel: 'airtel', since }],
      reconciled: new Map([
        [comparisonKey(before, 'mpesa'), { ...closed, wasOver: true }],
        [comparisonKey(since, 'mpesa'), { ...closed, date: since, wasOver: true }],
      ]),
      differences: new Map([
        [comparisonKey(before, 'mpesa'), -250n],
        [comparisonKey(since, 'mpesa'), 100n],
      ]),
    };
    const rows = rowsOf(both);
    expect(rows[0]).toContain('the statement of M-Pesa and Airtel Money.');
    expect(rows[3]).toMatch(/22 Nov .* – M-Pesa [^.]*Matched Airtel Money [^.]*Not compared/);
    expect(rows[4]).toMatch(/21 Nov .*−2\.50 (?!.*Airtel).*Matched/);
    const { text } = daysPage(both, frame);
    expect(text).toContain(`/days/${since}?account=100000001&amp;rail=airtel#upload`);
    const closedBoth = {
      ...both,
      reconciled: new Map([
        ...both.reconciled,
        [
          comparisonKey(since, 'airtel'),
          { ...closed, date: since, channel: 'airtel', wasOver: true },
        ],
      ]),
      differences: new Map([...both.differences, [comparisonKey(since, 'airtel'), -40n]]),
    };
    expect(rowsOf(closedBoth)[3]).toMatch(/22 Nov .* 0\.60 M-Pesa/);
    // Switched off on that day, the rail is still one of the day's.
    const off = { channel: 'airtel', since, until: since };
    expect(rowsOf({ ...both, rails: [...mpesaOnly, off] })[3]).toMatch(/Airtel Money/);
    expect(rowsOf({ ...both, rails: [...mpesaOnly, off] })[2]).not.toMatch(/Airtel Money/);
  });

  it('names the rail of its statement, and leads to the other rail’s', () => {
    const rails = [...mpesaOnly, { channel: 'airtel', since: '2026-11-20' }];
    const { text } = dayPage({ ...day, rails, channel: 'airtel' }, frame);
    expect(text).toContain('Airtel Money statement (CSV)');
    expect(text).toContain('name="rail" value="airtel"');
    expect(text).not.toContain('M-Pesa statement');
    expect(text).toMatch(/days\/2026-11-21\?account=100000001" *>\s*M-Pesa/);
    expect(dayPage(day, frame).text).not.toContain('class="tabs"');
  });

  it('has no figures in the list if the views cannot answer, and the list says so', () => {
    const rows = rowsOf({ ...listed, figures: undefined });
    expect(rows[0]).toContain(texts.common.unavailable);
    expect(rows[4]).toMatch(/21 Nov – – −2\.50/);
  });

  it('is three steps, in which the open lines come before what matches', () => {
    const { figures, upload, differences, exceptions, findings } = texts.days;
    const heads = [...text.matchAll(/<h2>([^<]+)/g)].map(([, head]) => head);
    expect(heads).toEqual([figures, upload, differences]);
    expect(text.indexOf(exceptions)).toBeLessThan(text.indexOf(findings));
    const tally = day.recorded?.data.tallies[0];
    if (!day.recorded || !tally) throw new TypeError('the day has a comparison');
    const tallies = [{ ...tally, finding: 'matched' } as const, tally];
    const data = { ...day.recorded.data, openNamed: [], tallies };
    const shown = dayPage({ ...day, recorded: { ...day.recorded, data } }, frame).text;
    const [, results = ''] = shown.split(`<span>${findings}</span>`);
    const { matched, amount_differs } = texts.days.findingNames;
    expect(results.indexOf(amount_differs)).toBeLessThan(results.indexOf(matched));
  });

  it('goes from the opening balance to the closing one', () => {
    const { openingMinor, closingMinor } = day.figures?.statement ?? {
      openingMinor: 0n,
      closingMinor: 0n,
    };
    const { collectedMinor, feesMinor, paidOutMinor, correctionsMinor } = day.figures?.sums ?? {
      collectedMinor: 0n,
      feesMinor: 0n,
      paidOutMinor: 0n,
      correctionsMinor: 0n,
    };
    expect(openingMinor + collectedMinor - feesMinor - paidOutMinor + correctionsMinor).toBe(
      closingMinor,
    );
    const [equation = ''] = /<table aria-label[^]*?<\/table>/.exec(text) ?? [];
    for (const amount of ['1,000.00', '1,500.00', '30.00', '310.00', '−10.00', '2,150.00'])
      expect(equation).toContain(`<span class="money">${amount}</span>`);
    expect(equation.split('KES')).toHaveLength(2);
  });

  it('can be compared as a whole only from tomorrow if it is not over, so its button is secondary', () => {
    const of = (isOver: boolean) => dayPage({ ...day, isOver, recorded: undefined }, frame).text;
    const { fromTomorrow, uploadFirst, close } = texts.days;
    expect(of(false)).toContain(fromTomorrow);
    expect(of(true)).not.toContain(fromTomorrow);
    expect(of(false)).toContain(`<button class="secondary">${close}</button>`);
    expect(of(true)).toContain(`<button>${close}</button>`);
    for (const isOver of [false, true]) expect(of(isOver)).toContain(uploadFirst);
    const viewed = dayPage({ ...day, mayClose: false, recorded: undefined }, frame).text;
    expect(viewed).toContain(texts.days.notReconciled);
    expect(viewed).not.toContain(uploadFirst);
  });

  it('leads back to the list, and to the days beside it that the account has', () => {
    const linksOf = (today: string, openedOn: string | undefined) => {
      const at = { place, account: day.account, channel: 'mpesa', day: day.day, openedOn };
      const { text } = dayActions({ ...at, clock: { ...clock, today } }, texts);
      return [...text.matchAll(/\/live\/(days[^"?]*)/g)].map(([, address]) => address);
    };
    expect(linksOf('2026-11-23', undefined)).toEqual([
      'days',
      'days/2026-11-20',
      'days/2026-11-22',
    ]);
    expect(linksOf('2026-11-21', '2026-11-21')).toEqual(['days']);
  });

  it('names own items alone, each with its age and what to do next', () => {
    expect(text).toContain('INV-1');
    expect(text).not.toContain('OTHERS-7');
    expect(text).not.toContain('DEMO-7');
    expect(text).toContain('3 days');
    expect(text).toContain(texts.days.todos.amount_differs.slice(0, 20));
  });
});

describe('the open lines of a day', () => {
  const [first] = day.recorded?.data.openNamed ?? [];
  const note = 'asked M-Pesa, case 12';
  const handled = first
    ? new Map([
        [exceptionKey(first), [{ person: `https://id.example#asha`, note, at: new Date(at) }]],
      ])
    : new Map<string, never>();
  const textOf = (over: Partial<DayModel>): string => dayPage({ ...day, ...over }, frame).text;

  it('are chosen one by one for one note, bound to the comparison that was shown', () => {
    const text = textOf({});
    expect(text.match(/type="checkbox"\s+form="handle"\s+name="line"/g)).toHaveLength(3);
    expect(text).toContain('action="/portal/merchants/m-1/live/days/2026-11-21/exceptions"');
    expect(text).toContain(`name="seen" value="${at}"`);
    expect(textOf({ mayClose: false })).not.toContain('checkbox');
  });

  it('keep every note with its author: a second note replaces no other', () => {
    const key = first ? exceptionKey(first) : '';
    const [mine] = handled.get(key) ?? [];
    if (!mine) throw new Error('there is one');
    const second = { ...mine, person: 'https://id.example#joseph', note: 'it came back' };
    const text = textOf({ handled: new Map([[key, [mine, second]]]) });
    expect(text).toMatch(/asha, .*asked M-Pesa, case 12.*joseph, .*it came back/s);
  });

  it('lead to no one if they were settled since; the day is then to be compared again', () => {
    const { recorded } = day;
    if (!recorded) throw new Error('it was compared');
    const of = (...settled: readonly number[]): string =>
      textOf({ recorded: { ...recorded, settled: new Set(settled) } });
    const asked = texts.days.todos.amount_differs.slice(0, 20);
    expect(of(0).split(asked)).toHaveLength(3);
    expect(of(0)).toContain(texts.days.settledSince);
    expect(of(0)).not.toContain(texts.days.allSettledSince);
    expect(of(0, 1, 2)).toContain(texts.days.allSettledSince);
    expect(of(0, 1, 2)).not.toContain(asked);
  });

  it('name the merchant’s items that may explain them, before anyone is asked', () => {
    const { recorded } = day;
    if (!recorded || !first) throw new Error('it was compared');
    const mayBe = ['payout-live:m-1:P-7', 'payout-live:m-2:THEIRS-7'];
    const openNamed = [{ ...first, finding: 'missing_here', mayBe } as const];
    const data = { ...recorded.data, openNamed };
    const text = textOf({ recorded: { ...recorded, data } });
    expect(text).toContain(texts.days.mayBe);
    expect(text).toContain('P-7');
    expect(text).not.toContain('THEIRS-7');
    expect(text).not.toContain(texts.days.todos.missing_here);
  });

  it('say who dealt with them, when and how; a comparison of before is enough', () => {
    expect(textOf({ handled })).toMatch(
      /asha, <time.*2026-11-22 01:30:00.*: asked M-Pesa, case 12/s,
    );
    expect(textOf({ handled }).split(note)).toHaveLength(2);
    // The amount may differ when the day is compared again.
    const other = first && { ...first, amountMinor: 1n };
    expect(other && exceptionKey(other)).toBe(first && exceptionKey(first));
    expect(first && exceptionKey({ ...first, receipt: 'X' })).not.toBe(
      first && exceptionKey(first),
    );
  });
});

describe('a new payout', () => {
  it('is shown with its fee, its total and the balance after before anything is requested', () => {
    const text = pages['checked']?.().text ?? '';
    const after = (minor: bigint | undefined) =>
      askPage({ ...checked, checked: { ...checked.checked, availableMinor: minor } }, frame).text;
    for (const amount of ['1,250.00', '25.00', '1,275.00', '9,000.00', '7,725.00'])
      expect(text).toContain(`KES ${amount}`);
    expect(text).toContain(texts.payouts.modes.live);
    expect(text).toContain('action="/portal/merchants/m-1/live/payouts"');
    expect(text).not.toContain(texts.payouts.short);
    expect(after(127_499n)).toContain(texts.payouts.short);
    expect(after(undefined)).not.toContain(texts.payouts.after);
  });

  it('keeps its form beside the checked summary, which requests exactly what it shows', () => {
    const text = pages['checked']?.().text ?? '';
    const [form = '', summary = ''] = text.split('<section class="card summary"');
    expect(form).toContain('action="/portal/merchants/m-1/live/payouts/check"');
    expect(form).toMatch(/value="1250"\s+id="amount"/);
    expect(form).toContain(texts.payouts.checkAgain);
    expect(summary).toContain('<input type="hidden" name="amount" value="1250" />');
    expect(text.match(/<button>/g)).toHaveLength(1);
  });

  it('names the available money under the account, and leads back', () => {
    const balances = [{ ...balance, availableMinor: 900_000n }];
    const asked = { ...checked, checked: undefined, balances };
    const { checked: _checked, ...model } = asked;
    const { text } = askPage(model, frame);
    expect(text).toContain(`${texts.payouts.available} 100000001: KES 9,000.00`);
    expect(text).toMatch(/href="\/portal\/merchants\/m-1\/live\/payouts"\s*>Cancel/);
    expect(text).toContain('<div class="prefixed"><span aria-hidden="true">KES</span>');
  });

  it('offers no choice of a rail if the account has one', () => {
    expect(askPage(checked, frame).text).not.toMatch(/radio|name="channel"|M-Pesa/);
  });

  it('offers the rails of an account with two, the usual one first and chosen', () => {
    const { checked: _checked, ...asked } = { ...checked, channels: ['mpesa', 'airtel'] };
    const { text } = askPage(asked, frame);
    expect(text).toMatch(/id="channel"\s+name="channel"\s+value="mpesa"\s+checked/);
    expect(text).toMatch(/name="channel"\s+value="airtel"\s+\/>\s+Airtel Money/);
    expect(text).toContain(texts.payouts.phoneHintOfRails);
  });

  it('shows the chosen rail in the summary, and requests it', () => {
    const typed = { ...checked.typed, channel: 'airtel' };
    const { text } = askPage({ ...checked, typed, channels: ['mpesa', 'airtel'] }, frame);
    const [form = '', summary = ''] = text.split('<section class="card summary"');
    expect(form).toMatch(/value="airtel"\s+checked/);
    expect(summary).toMatch(/<dt>Send by<\/dt>\s*<dd>Airtel Money<\/dd>/);
    expect(summary).toContain('<input type="hidden" name="channel" value="airtel" />');
  });

  it('shows its rail to the approver if it is not the usual one', () => {
    const request = { ...decide.request, channel: 'airtel' };
    expect(decidePage({ ...decide, request }, undefined, frame).text).toContain('Airtel Money');
    expect(decidePage(decide, undefined, frame).text).not.toContain(texts.payouts.rail);
  });

  it('is sent to be checked, not to be requested', () => {
    const text = pages['ask']?.().text ?? '';
    expect(text).toContain('action="/portal/merchants/m-1/live/payouts/check"');
    expect(text).not.toContain('action="/portal/merchants/m-1/live/payouts"');
  });
});

describe('the payouts that need approval', () => {
  const own = new Map([
    [hostile, { to: '2547*****678', feeMinor: 2_500n, by: hostile, isOwn: true }],
  ]);
  const listOf = (over: Partial<PayoutsModel>): string =>
    payoutsPage({ ...payouts, ...over }, frame).text;

  it('come first, with the receiver, the requester and the decision; a batch leads to its page', () => {
    const text = listOf({});
    expect(text.indexOf(texts.payouts.waiting)).toBeLessThan(text.indexOf(texts.payouts.latest));
    expect(text).toContain('2547*****678');
    expect(text.match(/payouts\/(approve|reject)"/g)).toHaveLength(2);
    expect(text.match(/name="amount_minor" value="125000"/g)).toHaveLength(2);
    expect(text).toContain('/payouts/batches/');
  });

  it('offer no decision to their requester, to people who may not decide, and without their facts', () => {
    for (const over of [
      { facts: own, mayCancel: false },
      { mayDecide: false },
      { facts: new Map() },
    ])
      expect(listOf(over)).not.toContain('<form');
  });

  it('wait for another person, as their requester reads, who may cancel them', () => {
    const text = listOf({ facts: own });
    expect(text).toContain(texts.payouts.waitsForOther);
    expect(text.match(/action="[^"]*payouts\/(\w+)"/g)).toEqual([
      'action="/portal/merchants/m-1/live/payouts/cancel"',
    ]);
    expect(listOf({})).not.toContain(texts.payouts.waitsForOther);
  });

  it('show the fee and the total, and the page the money that can be paid out', () => {
    const text = listOf({});
    for (const amount of ['KES 25.00', 'KES 1,275.00', 'KES 9,000.00'])
      expect(text).toContain(amount);
    const { available, reserved } = texts.payouts;
    expect(text.indexOf(available)).toBeLessThan(text.indexOf(texts.payouts.waiting));
    expect(text).toContain(reserved);
  });

  it('leave a list without payouts with one button for people who may request, and without it for others', () => {
    const none = { latest: [], waiting: [] };
    expect(listOf(none)).toMatch(/empty[^]*href="[^"]*payouts\/ask"/);
    expect(listOf({ ...none, mayAsk: false })).not.toContain('payouts/ask');
    // One box says that there are none, so no second one says that none waits.
    expect(listOf(none)).not.toContain(texts.payouts.noneWaiting.text);
    // One waits, so it is not true that there are none.
    expect(listOf({ latest: [] })).not.toContain(texts.payouts.noneYet);
  });
});

describe('an empty list', () => {
  it('leads to a new payout or to all payouts, if no payout needs approval', () => {
    const payout = { ...item, type: 'payout' } as const;
    const listOf = (mayAsk: boolean): string =>
      payoutsPage({ ...payouts, waiting: [], latest: [payout], mayAsk }, frame).text;
    const box = (text: string): string => /class="empty"[^]*?<\/div>/.exec(text)?.[0] ?? '';
    expect(box(listOf(true))).toContain(`href="${place.base}/payouts/ask"`);
    expect(box(listOf(false))).toContain(`href="${place.base}/transactions?type=payout"`);
  });

  it('has its heading and leads to the endpoints, if an item has no webhooks', () => {
    const { text } = itemPage({ ...base, deliveries: [] }, texts);
    expect(text).toContain('<h2>Webhooks</h2>');
    expect(text).toMatch(/class="empty"[^]*href="[^"]*\/webhooks"/);
    expect(itemPage({ ...base, deliveries: [delivery] }, texts).text).toContain(
      '<h2>Webhooks</h2>',
    );
    expect(itemPage({ ...base, deliveries: undefined }, texts).text).not.toContain('Webhooks');
  });

  it('names the day without seconds and leads to all deliveries, if no webhook failed', () => {
    const typed = { day: '2026-11-21', clock: '00:00' };
    const found = { since: new Date(at), until: new Date(at), count: 0 };
    const { text } = failedPage({ place, clock, typed, error: undefined, found }, frame);
    expect(text).toContain('>22 Nov 2026 01:30</time>');
    expect(text).toMatch(/class="empty"[^]*href="[^"]*\/webhooks"/);
    expect(text.match(/\/webhooks"/g)).toHaveLength(1);
  });
});

describe('a payout that waits', () => {
  it('cannot be decided by the person who requested it', () => {
    const own = { ...decide, isOwn: true };
    const { text } = decidePage({ ...own, mayCancel: false }, undefined, frame);
    expect(text).not.toContain('<form');
    expect(text).toContain(texts.payouts.notByYou);
    // But they may stop it.
    expect(decidePage(own, undefined, frame).text).toContain('/payouts/cancel"');
  });

  it('posts the amount that its page shows', () => {
    const { text } = decidePage(decide, undefined, frame);
    expect(text).toContain('name="amount_minor" value="125000"');
    expect(text.match(/<form/g)).toHaveLength(3);
  });

  it('shows its mode, its merchant and the last digits of its number', () => {
    const { text } = decidePage({ ...decide, lastDigits: '5678' }, undefined, frame);
    for (const shown of [
      texts.payouts.modes[place.mode],
      texts.payouts.lastDigits('5678'),
      'KES 1,275.00',
      texts.payouts.after,
      'KES 9,000.00',
      texts.payouts.merchant,
      texts.payouts.paused,
    ])
      expect(text).toContain(shown);
    const { text: named } = decidePage(
      { ...decide, place: { ...place, name: 'Duka la Amina' } },
      undefined,
      frame,
    );
    expect(named).toMatch(new RegExp(`<dt>${texts.payouts.merchant}</dt>\\s*<dd>Duka la Amina`));
    const gone = decidePage({ ...decide, lastDigits: undefined }, undefined, frame).text;
    expect(gone).toContain('2547*****678');
  });

  it('is approved, if it is a batch, by the payouts that its page lists', () => {
    const text = pages['batch']?.().text ?? '';
    expect(text).toContain(`name="items" value="${'d'.repeat(64)}"`);
    expect(text).toContain('2547*****678');
    const [one] = [request];
    const other = { ...one, phoneHmac: 'another-hmac' };
    const digests = [[one], [other], [{ ...one, amountMinor: 1n }], [{ ...one, feeMinor: 1n }]];
    expect(new Set(digests.map(itemsDigest)).size).toBe(4);
  });
});

describe('a developer’s page', () => {
  it('shows the change to make beside each V3 route that is still called, and each key', () => {
    expect(pages['v3']?.().text).toContain('POST /api/v4/collections');
    const keys = (of: Partial<OwnCredential>, now: string) =>
      keysPage(
        {
          place,
          clock,
          credentials: [{ ...credential, ...of }],
          lastUses: new Map(),
          now: new Date(now),
          mayChange: false,
          ...requested,
        },
        frame,
      ).text;
    // Its id was made on 2025-11-21.
    expect(keys({}, '2026-09-20T00:00:00Z')).not.toMatch(/replace (?:by|now)/i);
    expect(keys({}, '2026-09-25T00:00:00Z')).toContain('Replace by 21 Nov');
    expect(keys({}, '2027-01-01T00:00:00Z')).toMatch(/Replace now\s*</);
    expect(keys({ revoked: true }, '2027-01-01T00:00:00Z')).not.toMatch(/replace (?:by|now)/i);
  });

  it('resends the deliveries that are shown, and no others', () => {
    const text = pages['webhooks']?.().text ?? '';
    expect(text).toContain(`name="delivery" value="${delivery.webhookId} v4"`);
    expect(text).toContain('name="query" value="failing=on"');
    expect(text).toContain('Resend this one');
  });

  it('offers to resend the shown deliveries with the tab Failed only', () => {
    const all = webhooksPage({ ...webhooksModel, query: { failing: false } }, frame).text;
    expect(all).not.toContain('Resend this one');
    expect(all).not.toContain('name="delivery"');
  });

  it('counts failed deliveries in the tab, up to a bound', () => {
    const shown = (failed: number) => webhooksPage({ ...webhooksModel, failed }, frame).text;
    expect(shown(14)).toContain('>Failed (14)<');
    expect(shown(1000)).toContain('>Failed (999+)<');
  });

  it('shows for each delivery its item, its answer and its state, and no number that all rows share', () => {
    const text = pages['webhooks']?.().text ?? '';
    const item = `/portal/merchants/m-1/live/items/collection/${encodeURIComponent(hostile)}`;
    expect(text).toContain(`href="${html`${item}`.text}"`);
    const heads = [...text.matchAll(/role="columnheader"[^>]*>([^<]+)</g)].map(([, head]) => head);
    expect(heads).toEqual(['Status', 'Event', 'Reference', 'Answer', 'Created', 'Attempts']);
    const answered = { ...delivery, outcome: 'delivered', lastStatus: 204 } as const;
    const model = { ...webhooksModel, deliveries: [answered] };
    expect(webhooksPage(model, frame).text).toContain('HTTP 204');
  });

  it('says that a delivery that failed is retried, and one that was not attempted waits', () => {
    const waiting = { ...delivery, outcome: null, nextAttemptAt: new Date(at) };
    const of = (attempts: number) =>
      webhooksPage({ ...webhooksModel, deliveries: [{ ...waiting, attempts }] }, frame).text;
    expect(of(2)).toContain('</span> Retrying<');
    expect(of(0)).toContain('</span> Waiting<');
  });

  it('folds the form that stops an endpoint or a key below the others, unless it has an error', () => {
    const zone = /<details class="card danger-zone"\s*(open)?>/g;
    for (const name of ['endpoint', 'key']) {
      const text = pages[name]?.().text ?? '';
      expect([name, [...text.matchAll(zone)].map(([, open]) => open)]).toEqual([name, [undefined]]);
      expect(text.indexOf('danger-zone')).toBeGreaterThan(text.indexOf('class="parts"'));
    }
    const sent = { form: 'revoke', ...sentKey } as const;
    const wrong = keyPage({ ...whenShown, credential, sent }, frame).text;
    expect(wrong).toMatch(/danger-zone"\s+open/);
  });

  it('has at most one primary button', () => {
    const primary = /<button>|class="button"/g;
    for (const name of ['keys', 'webhooks', 'delivery', 'signature', 'failed', 'endpoint', 'key'])
      expect([name, pages[name]?.().text.match(primary)?.length ?? 0]).toEqual([
        name,
        name === 'keys' || name === 'webhooks' ? 0 : 1,
      ]);
    const model = { place, clock, credentials: [credential], lastUses: new Map(), mayChange: true };
    const actions = keysActions({ ...model, ...requested, now: new Date(at) }, texts)?.text;
    expect(actions?.match(primary)).toHaveLength(1);
  });

  it('has the line of a signature that differs marked in words, and no other line', () => {
    const text = pages['signature']?.().text ?? '';
    expect(text.split(`</span> ${texts.signature.differsMark}<`)).toHaveLength(2);
    expect(text.split('class="differs"')).toHaveLength(2);
  });

  it('leads to the meaning of each code, and has times to the minute with the exact ones as titles', () => {
    const errorsPage = (code: string) =>
      requestsPage({ ...callsModel, calls: [{ ...call, code }] }, frame).text;
    expect(errorsPage('not_found')).toContain('href="/docs/errors#not_found"');
    expect(errorsPage('not_found')).toContain(
      'title="2026-11-22 01:30:00 EAT">22 Nov 01:30</time>',
    );
  });
});

describe('the keys of a merchant', () => {
  const shown = (over: Partial<KeysModel>): string =>
    keysPage(
      {
        place,
        clock,
        credentials: [{ ...credential, holder: 'till', name: 'k-1' }],
        lastUses: new Map(),
        now: new Date(at),
        mayChange: true,
        ...requested,
        requests: [],
        ...over,
      },
      frame,
    ).text;

  it('are named by their holders, with the client id to copy and the day on which they were made', () => {
    const text = shown({});
    expect(text).toMatch(/<h2 [^>]*>till<\/h2>/);
    expect(text).toContain('data-copy="k-1"');
    expect(text).toMatch(/<dt>Created<\/dt>\s*<dd>21 Nov 2025/);
  });

  it('say that no call has used them, with what to do', () => {
    const { neverUsed, unused } = texts.keys;
    for (const words of [neverUsed, unused]) expect(shown({})).toContain(words);
    const lastUses = new Map([[credential.credentialId, new Date(at)]]);
    expect(shown({ lastUses })).not.toContain(unused);
    expect(shown({ lastUses })).toMatch(/<dd>\s*<time[^>]*>22 Nov 01:30/);
    const today = { ...clock, today: '2026-11-22' };
    expect(shown({ lastUses, clock: today })).toMatch(/Today <time[^>]*>01:30/);
  });

  const dayMs = 86_400_000;
  const ending = (days: number, over: Partial<OwnCredential> = {}) => {
    const expiresAt = new Date(new Date(at).getTime() + days * dayMs);
    return { ...credential, holder: 'till', name: 'k-1', expiresAt, ...over };
  };

  it.each([
    [31, '(31 days left)'],
    [30, ' 30 days left</span>'],
    [6.5, ' 7 days left</span>'],
    [0.1, ' 1 day left</span>'],
    [0, ' Expired</span>'],
    [-400, ' Expired</span>'],
  ])('say that they end in %d days, on their card and their own page', (days, told) => {
    const of = ending(days);
    const { text } = keyPage({ ...whenShown, credential: of, sent: undefined }, frame);
    const card = shown({ credentials: [of] });
    for (const page of [text, card]) expect(page).toContain(told);
    expect(card.includes(`${texts.keys.active}</span>`)).toBe(days > 0);
  });

  it('say that they have no end; a revoked key has no days left', () => {
    expect(shown({})).toMatch(/<dt>Expires<\/dt>\s*<dd>Never/);
    expect(shown({ credentials: [ending(3, { revoked: true })] })).not.toContain('left');
  });

  it('wait on the first page from 30 days before their end, the first to end first', () => {
    const listed = [ending(20), ending(31), ending(-1), ending(2, { revoked: true })];
    const days = endingKeys([...listed, credential], new Date(at).getTime());
    expect(days.map(({ days: left }) => left)).toEqual([0, 20]);
  });

  it('are changed by owners, as people who may not change them read', () => {
    expect(shown({ mayChange: false })).toContain(texts.keys.owners);
    expect(shown({ mayChange: false, credentials: [] })).toContain(texts.keys.owners);
    expect(shown({})).not.toContain(texts.keys.owners);
  });
});

describe('the API errors of a merchant', () => {
  it('are shown as good news if there are none, with a link to all codes and no other table', () => {
    const query = { onlyRefused: true };
    const { text } = requestsPage({ ...callsModel, query }, frame);
    expect(text).toMatch(/empty">\s*<span class="icon i-good"/);
    expect(text).toContain('href="/docs/errors"');
    expect(text).not.toContain('<table');
  });
});

describe('the form of a statement', () => {
  it('has the usual days as links, which keep the account and the format', () => {
    const typed = { account: '1', from: '2026-02-01', to: '2026-02-28', format: 'pdf' };
    const { text } = statementPage(
      { place, problem: undefined, today: '2026-03-05', typed },
      frame,
    );
    const links = [
      ...text.matchAll(
        /statement\?account=1&amp;from=([\d-]+)&amp;to=([\d-]+)&amp;format=pdf"\s*(aria-current)?/g,
      ),
    ];
    expect(links.map(([, from, to, current]) => [from, to, current])).toEqual([
      ['2026-03-01', '2026-03-05', undefined],
      ['2026-02-01', '2026-02-28', 'aria-current'],
      ['2026-03-04', '2026-03-04', undefined],
    ]);
  });
});

describe('a merchant’s team', () => {
  it('shows the day of a role with its year, beside the page’s one primary form', () => {
    const { text } = teamPage(
      {
        place,
        clock,
        sent: undefined,
        ...requested,
        held: [
          {
            person: 'https://id.example#asha',
            name: 'Asha',
            role: 'owner',
            merchantId: 'm-1',
            proposedBy: 'x',
            grantedAt: at,
            isSuspended: false,
          },
        ],
      },
      frame,
    );
    expect(text).toContain('>22 Nov 2026</time>');
    expect(text.match(/<button>/g)).toHaveLength(1);
  });
});

describe('the signature debugger', () => {
  const shown = (pasted: Pasted): string =>
    signaturePage({ place, pasted, found: debugSignature(pasted), verifiedBy: undefined }, frame)
      .text;
  const empty = { raw: '', method: '', path: '', query: '', headers: '', body: '', theirs: '' };

  it('takes its own example', () => {
    expect(debugSignature({ ...empty, raw: exampleRequest })).toMatchObject({
      lines: expect.arrayContaining(['POST', '/api/v4/collections']) as unknown,
    });
  });

  it('reports all missing headers at the box that was used', () => {
    const told = texts.signature.missingHeaders('X-PP-Nonce, X-PP-Timestamp', 2);
    const raw = shown({ ...empty, raw: 'GET /api/v4/events' });
    expect(raw).toContain(`<a href="#raw">${told}</a>`);
    expect(raw).not.toMatch(/<details\s+open/);
    const byField = shown({ ...empty, method: 'GET', headers: 'Host: pay.example' });
    expect(byField).toContain(`<a href="#headers">${told}</a>`);
    expect(byField).toMatch(/<details\s+open/);
    expect(shown(empty)).toContain(`<a href="#raw">${texts.signature.rawProblems.nothing}</a>`);
  });
});

describe('the form of an endpoint', () => {
  const shown = (sendsMail: boolean) => {
    const model = { place, kind: 'v4', endpoint: undefined, failuresTo: undefined } as const;
    return endpointPage({ ...model, sendsMail }, frame).text;
  };

  it('says if this installation sends no mail', () => {
    const { noMail } = texts.developer.endpoint;
    expect(shown(false)).toContain(noMail);
    expect(shown(true)).not.toContain(noMail);
  });
});

describe('the day of an endpoint', () => {
  const hours = lastHours(Date.UTC(2026, 10, 23, 9, 40));
  const of = (attempted: readonly WebhookHour[]) =>
    endpointDay(attempted, hours, { clock, words: texts.webhooks }).text;
  const hour = (at: string, delivered: number, failed: number): WebhookHour => ({
    kind: 'v4',
    hour: new Date(at),
    delivered,
    failed,
  });

  it('has a column for each hour with attempts, by the merchant’s clock, and the totals', () => {
    const text = of([
      hour('2026-11-22T10:00:00Z', 1200, 0),
      hour('2026-11-23T09:00:00Z', 4, 3),
      // An hour that is over for longer is not shown.
      hour('2026-11-22T09:00:00Z', 9, 9),
    ]);
    expect(text).toContain('1,204 delivered, 3 failed attempts');
    expect(text.match(/<title>/g)).toHaveLength(24);
    expect(text).toContain('<title>13:00: Delivered: 1,200, Failed: 0</title>');
    expect(text).toContain('<title>12:00: Delivered: 4, Failed: 3</title>');
    expect(text.match(/class="completed"/g)).toHaveLength(2);
    expect(text.match(/class="failed"/g)).toHaveLength(1);
  });

  it('says so without a drawing if there was no attempt', () => {
    expect(of([])).toContain(texts.webhooks.dayEmpty);
    expect(of([])).not.toContain('<svg');
  });
});

describe('the list of API calls', () => {
  it('shows path and query, status, code, duration, client and request of a call', () => {
    const { text } = requestsPage({ ...callsModel, calls: [call] }, frame);
    for (const shown of [
      'GET /api/v4/transactions?limit=5',
      '404',
      'not_found',
      '12 ms',
      call.requestId,
    ])
      expect(text).toContain(shown);
  });

  it('shows the route of a call whose path is not stored', () => {
    const stored = { ...call, target: null, durationMs: null };
    const { text } = requestsPage({ ...callsModel, calls: [stored] }, frame);
    expect(text).toContain('GET /api/v4/transactions<');
    expect(text).not.toContain(' ms<');
  });

  it('says that a busy merchant sees a sample, and keeps filters in tabs and on the next page', () => {
    const query = { onlyRefused: false, statusClass: 4, text: 'a&b' };
    const { text } = requestsPage({ ...callsModel, query, next: 7n }, frame);
    expect(text).toContain('sees a sample');
    expect(text).toContain(`/requests?status=4&amp;text=a%26b&amp;before=7`);
    expect(text).toContain(`/requests?tab=errors&amp;status=4&amp;text=a%26b"`);
  });

  it.each([
    [{ calls: 1240, refused: 3, hasMore: false }, false, 'Calls: 1,240 · Errors: 3'],
    [{ calls: 1000, refused: 3, hasMore: true }, false, 'The newest 1,000 calls · Errors: 3'],
    [{ calls: 12, refused: 12, hasMore: false }, true, 'Errors: 12'],
    [{ calls: 1000, refused: 1000, hasMore: true }, true, 'More than 1,000 errors'],
  ])('ends with the number of calls that match: %o', (count, onlyRefused, words) => {
    const query = { onlyRefused };
    const { text } = requestsPage({ ...callsModel, query, calls: [call], count }, frame);
    expect(text.split('<tfoot')[1]?.split('</tfoot>')[0]).toContain(words);
  });

  it('folds its filters, and names how many are set', () => {
    const query = { onlyRefused: false, statusClass: 4, text: 'INV' };
    expect(requestsPage({ ...callsModel, query }, frame).text).toContain('Filters (2)</summary>');
  });

  it('offers to clear filters that match nothing', () => {
    const query = { onlyRefused: true, text: 'nothing' };
    const { text } = requestsPage({ ...callsModel, query, calls: [] }, frame);
    expect(text).toContain('No calls match the filters');
    expect(text).toContain(`href="${place.base}/requests?tab=errors"`);
  });
});

describe('a key', () => {
  it('is as old as its credential’s id says', () => {
    expect(issuedAt('019aa5d5-b000-7000-8000-000000000000')?.getTime()).toBe(0x019aa5d5b000);
    expect(issuedAt('3f2a5c1e-0000-4000-8000-000000000000')).toBeUndefined();
  });
});
