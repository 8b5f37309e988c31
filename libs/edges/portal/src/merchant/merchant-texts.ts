import { type Mode } from '#domain/kernel';
import { type Language } from '#shared/http';
import { type FindingName } from '#domain/reconciliation';
import { type TransactionItem } from '#views/transactions';
import { type MissingToMove } from '#views/v3-usage';
import { type RowProblem } from './payouts/batch-file.js';
import { type ListField } from './transactions/list-query.js';
import { type Step } from './transactions/timeline.js';

/** Texts of an empty list: the first says what is absent, the second what to do about it. */
interface Empty {
  readonly text: string;
  readonly todo: string;
}

type Words<Name extends string> = Readonly<Record<Name, string>>;

/** The texts of a merchant's pages in one language. Values that are filled in are escaped where a page shows them. */
export interface MerchantTexts {
  /** The language of these texts, for words from elsewhere. */
  readonly language: Language;
  readonly sections: Words<
    | 'transactions'
    | 'statement'
    | 'days'
    | 'payouts'
    | 'keys'
    | 'webhooks'
    | 'signature'
    | 'v3'
    | 'requests'
  >;
  readonly common: {
    readonly type: string;
    readonly types: Words<TransactionItem['type']>;
    readonly status: string;
    readonly statuses: Words<TransactionItem['status']>;
    readonly reference: string;
    readonly amount: string;
    readonly fee: string;
    readonly account: string;
    readonly receipt: string;
    readonly created: string;
    readonly completed: string;
    readonly paid: string;
    readonly any: string;
    readonly none: string;
    readonly day: string;
    readonly from: string;
    readonly to: string;
    readonly show: string;
    readonly next: string;
    readonly newest: string;
    readonly asOf: (position: string) => string;
    readonly noAccounts: Empty;
    readonly zone: (zone: string) => string;
    readonly unavailable: string;
    readonly form: { readonly invalid: string };
  };
  readonly list: {
    readonly caption: string;
    readonly filter: string;
    readonly dateField: string;
    readonly dateFields: Words<TransactionItemDates>;
    readonly batch: string;
    readonly at: string;
    readonly atHint: string;
    readonly wrong: Words<ListField>;
    readonly empty: Empty;
    readonly clear: string;
    readonly find: {
      readonly title: string;
      readonly label: string;
      readonly button: string;
      readonly caption: string;
      readonly empty: Empty;
    };
    readonly underReview: string;
    readonly balances: string;
    readonly posted: string;
    readonly reserved: string;
    readonly available: string;
    readonly fewer: string;
    readonly views: {
      readonly title: string;
      readonly empty: string;
      readonly name: string;
      readonly keep: string;
      readonly drop: (name: string) => string;
      readonly kept: string;
      readonly dropped: string;
      readonly tooMany: string;
      readonly badName: string;
    };
  };
  readonly item: {
    readonly title: (type: TransactionItem['type'], reference: string) => string;
    readonly railReference: string;
    readonly failure: string;
    readonly requested: string;
    readonly batch: string;
    readonly timeline: string;
    readonly timelineHead: { readonly time: string; readonly what: string };
    readonly steps: Words<Step['kind']>;
    readonly phone: (phone: string) => string;
    readonly byHolder: (holder: string) => string;
    readonly automatic: string;
    readonly proof: string;
    readonly notPosted: Empty;
    readonly postings: string;
    readonly leaf: string;
    readonly posted: string;
    readonly state: string;
    readonly sealed: (day: string) => string;
    readonly sealedBy: string;
    readonly receiptFile: string;
    readonly receiptHow: string;
    readonly deliveries: string;
    readonly noDeliveries: Empty;
  };
  readonly statement: {
    readonly intro: string;
    readonly format: string;
    readonly formats: Words<'csv' | 'camt.053' | 'pdf'>;
    readonly get: string;
    readonly wrongDays: string;
    readonly notBegun: string;
    readonly position: string;
  };
  readonly days: {
    readonly intro: string;
    readonly caption: string;
    readonly empty: Empty;
    readonly open: string;
    readonly matched: string;
    readonly reconciledBy: string;
    readonly notReconciled: string;
    readonly title: (day: string) => string;
    readonly notOver: string;
    readonly closedEarly: string;
    readonly closeAgain: string;
    readonly notBegun: string;
    readonly figures: string;
    readonly opening: string;
    readonly collected: string;
    readonly fees: string;
    readonly paidOut: string;
    readonly corrections: string;
    readonly closing: string;
    readonly positions: (after: string, upTo: string) => string;
    readonly entries: string;
    readonly upload: string;
    readonly uploadHow: string;
    readonly file: string;
    readonly close: string;
    readonly closed: string;
    readonly noFile: string;
    readonly comparison: string;
    readonly statement: string;
    readonly ledger: string;
    readonly difference: string;
    readonly moneyIn: string;
    readonly moneyOut: string;
    readonly findings: string;
    readonly finding: string;
    readonly count: string;
    readonly findingNames: Words<FindingName>;
    readonly exceptions: string;
    readonly noExceptions: Empty;
    readonly noExceptionsYet: Empty;
    readonly fileDigest: string;
    readonly age: string;
    readonly daysOld: (days: number) => string;
    readonly todo: string;
    readonly todos: Words<FindingName>;
    /** Lines that were settled after the day was compared. */
    readonly settledSince: string;
    readonly allSettledSince: string;
    /** Words before the merchant's own items that may explain a line, and words for another merchant's. */
    readonly mayBe: string;
    readonly mayBeOthers: string;
    readonly handled: string;
    readonly chooseLine: (finding: string, receipt: string) => string;
    readonly handle: string;
    readonly note: string;
    readonly noteHint: string;
    readonly noteWrong: string;
    readonly noneChosen: string;
    readonly markedHandled: string;
    readonly more: (count: number) => string;
    readonly earlier: string;
    readonly busy: string;
  };
  readonly payouts: {
    readonly intro: string;
    readonly waiting: string;
    readonly noneWaiting: Empty;
    readonly latest: string;
    readonly noneYet: Empty;
    readonly ask: string;
    readonly askIntro: string;
    readonly phone: string;
    readonly phoneHint: string;
    readonly amountHint: (currency: string) => string;
    readonly referenceHint: string;
    readonly submit: string;
    readonly asked: string;
    readonly existing: string;
    readonly differs: string;
    readonly askedBy: string;
    readonly approve: string;
    readonly reject: string;
    readonly approved: string;
    readonly rejected: string;
    readonly cancel: string;
    readonly cancelled: string;
    readonly cancelHow: string;
    readonly paused: string;
    readonly merchant: string;
    readonly mode: string;
    readonly modes: Words<Mode>;
    readonly lastDigits: (digits: string) => string;
    readonly compare: string;
    readonly confirm: {
      readonly approve: string;
      readonly reject: string;
      readonly to: string;
    };
    readonly notByYou: string;
    readonly problems: Words<
      | 'account_no'
      | 'phone'
      | 'amount'
      | 'reference'
      | 'phone_in_reference'
      | 'destination_not_allowed'
      | 'limit_exceeded'
      | 'insufficient_funds'
      | 'no_rail'
      | 'unknown_payout'
      | 'same_holder'
      | 'unbound_holder'
      | 'amount_differs'
      | 'phone_differs'
      | 'not_pending_approval'
      | 'not_cancellable'
    >;
  };
  readonly batches: {
    readonly ask: string;
    readonly title: (reference: string) => string;
    readonly intro: string;
    readonly reference: string;
    readonly file: string;
    readonly lookAbove: string;
    readonly count: string;
    readonly payouts: string;
    readonly waiting: string;
    readonly cancelHow: string;
    readonly cancelled: string;
    readonly itemsShown: string;
    readonly row: (row: number, problem: string) => string;
    readonly more: (count: number) => string;
    /** Payouts that prevent a batch's cancellation. */
    readonly givenBefore: (count: number, references: string) => string;
    readonly problems: Words<
      | RowProblem
      | 'columns'
      | 'empty'
      | 'too_many'
      | 'account_no'
      | 'no_rail'
      | 'reference_exists'
      | 'differs'
      | 'unknown_batch'
      | 'count_differs'
      | 'items_differ'
    >;
  };
  readonly keys: {
    readonly intro: string;
    readonly caption: string;
    readonly empty: Empty;
    readonly kind: string;
    readonly kinds: Words<'v4' | 'v3' | 'checkout'>;
    readonly name: string;
    readonly holder: string;
    readonly fingerprint: string;
    readonly lastUse: string;
    readonly neverUsed: string;
    readonly age: string;
    readonly ageDays: (days: number) => string;
    readonly addresses: string;
    readonly anywhere: string;
    readonly revoked: string;
    readonly active: string;
    readonly old: string;
    readonly replaceBy: (day: string) => string;
    readonly rotation: string;
    readonly rotationSteps: readonly string[];
  };
  readonly webhooks: {
    readonly endpoints: string;
    readonly noEndpoint: Empty;
    readonly address: string;
    readonly kind: string;
    readonly disabled: string;
    readonly healthy: string;
    readonly failing: (times: number) => string;
    readonly failingSince: string;
    readonly lastSuccess: string;
    readonly deliveries: string;
    readonly empty: Empty;
    readonly onlyFailing: string;
    readonly event: string;
    readonly sequence: string;
    readonly owed: string;
    readonly attempts: string;
    readonly state: string;
    readonly states: Words<'delivered' | 'expired' | 'over' | 'waiting'>;
    readonly title: (type: string, sequence: string) => string;
    readonly result: string;
    readonly noAnswer: string;
    readonly duration: string;
    readonly body: string;
    readonly resend: string;
    readonly resendHow: string;
    readonly resent: string;
    readonly resendShown: (count: number) => string;
    readonly resentSome: string;
    readonly resentNone: string;
    readonly cannotResend: Words<'no_endpoint' | 'disabled' | 'no_words' | 'gone'>;
    readonly noAttempts: string;
  };
  readonly requests: {
    readonly intro: string;
    readonly caption: string;
    readonly empty: Empty;
    readonly time: string;
    readonly code: string;
    readonly status: string;
    readonly route: string;
    readonly credential: string;
    readonly requestId: string;
    readonly meanings: string;
  };
  readonly signature: {
    readonly intro: string;
    readonly method: string;
    readonly path: string;
    readonly query: string;
    readonly body: string;
    readonly headers: string;
    readonly headersHint: string;
    readonly theirs: string;
    readonly theirsHint: string;
    readonly compare: string;
    readonly lines: readonly [string, string, string, string, string, string];
    readonly ours: string;
    readonly digest: string;
    readonly same: string;
    readonly differs: (line: number, name: string) => string;
    readonly tooMany: string;
    readonly malformedQuery: string;
    readonly missingHeader: (header: string) => string;
    readonly line: string;
    readonly oursIs: string;
    readonly yoursIs: string;
    readonly verified: string;
    readonly notVerified: string;
    readonly notChecked: string;
    readonly bodyNote: string;
  };
  readonly v3: {
    readonly intro: string;
    readonly notUsed: Empty;
    readonly ready: string;
    readonly notReady: string;
    readonly todo: string;
    readonly missing: Words<MissingToMove>;
    readonly calls: string;
    readonly links: string;
    readonly movable: string;
    readonly flagged: string;
    readonly change: string;
    readonly phoneReferences: (count: number) => string;
    readonly routes: string;
    readonly instead: string;
    readonly insteadOf: Words<'balance' | 'collect' | 'checkout' | 'other'>;
    readonly route: string;
    readonly count: string;
    readonly v4Collections: string;
    readonly chartCalls: string;
    readonly chartV4: string;
  };
}

type TransactionItemDates = 'created_at' | 'completed_at' | 'paid_at';
