/** An amount to send: minor units, KES 250.00 is 25000. A number must be an integer below 2^53. */
export type AmountMinor = number | bigint;

export type TransactionType = 'collection' | 'payout';

export type TransactionStatus =
  'pending' | 'completed' | 'failed' | 'pending_approval' | 'rejected';

/** A collection to be made: the body of POST /api/v4/collections. */
export interface NewCollection {
  /** The account of yours that receives the money. */
  readonly account_no: string;
  /** International digits-only form: 254712345678. */
  readonly phone: string;
  /** Minimum 1. */
  readonly amount_minor: AmountMinor;
  /** ISO 4217, such as KES. */
  readonly currency: string;
  readonly channel: 'mpesa';
  /** Yours, unique for ever: a second call with it starts no second push. */
  readonly reference: string;
}

/** What an answer tells besides its body. */
export interface AnswerFacts {
  /** X-PP-Ledger-Position: the position that the answer reflects. Pass it as `minPosition` to read your own writes. */
  readonly ledgerPosition: string | undefined;
}

/** The answer to a create call. */
export interface CreatedCollection extends AnswerFacts {
  /** `pending` where it is new; the current state where the reference existed. */
  readonly status: TransactionStatus;
  readonly reference: string;
  /** The rail's name for the push; null: it is not known whether a prompt was shown. */
  readonly rail_reference: string | null;
  readonly amount_minor: bigint;
  readonly currency: string;
  /** Whether the same Idempotency-Key had been answered before. */
  readonly replayed: boolean;
  /** Whether the reference was there before this call: the answer is that collection, and nothing was pushed. */
  readonly existing: boolean;
}

/** An item of the transaction list, and the answer to `collections.get`. Times are RFC 3339, UTC. */
export interface Transaction {
  readonly type: TransactionType;
  readonly reference: string;
  readonly status: TransactionStatus;
  readonly amount_minor: bigint;
  readonly currency: string;
  readonly fee_minor: bigint;
  readonly id: string;
  readonly account_no: string;
  readonly channel: string;
  readonly rail_reference: string | null;
  /** The rail's receipt, as the customer sees it. */
  readonly receipt: string | null;
  /** Why it failed, such as `cancelled`. */
  readonly failure_code: string | null;
  /** A person is looking into it. */
  readonly under_review: boolean;
  readonly created_at: string;
  readonly completed_at: string | null;
  /** The rail's own time of payment. */
  readonly paid_at: string | null;
  /** False where the rail has not told it: `date_field=paid_at` then goes by the day of the posting. */
  readonly paid_at_known: boolean;
  /** Of a payout: the reference of its batch. */
  readonly batch?: string;
  /** Of a payout: the rail's own account does not cover it yet. */
  readonly waiting_for_float?: true;
  /** Of a payout: it is approved, and an operator of the service has paused payouts. */
  readonly paused?: true;
  /** Present where another amount was posted than was asked for. */
  readonly requested_minor?: bigint;
}

/** A collection, its postings, and what shows that they stand in history. */
export interface Receipt {
  readonly item: Transaction;
  /** Empty while no money was posted. */
  readonly postings: readonly ReceiptPosting[];
  /** The newest; null before the first day is sealed. */
  readonly head: SealedHead | null;
}

/** What a posting binds, and its place in the tree of all postings. Hashes are lower-case hex. */
export interface ReceiptPosting {
  /** Its canonical JSON (RFC 8785) is what is hashed. */
  readonly posting: {
    readonly currency: string;
    readonly id: string;
    readonly legs: readonly { readonly account: string; readonly amountMinor: string }[];
    readonly merchantId: string;
    readonly mode: 'live' | 'demo';
    readonly railCommitment?: string;
    readonly recordedAt: string;
    readonly requestCommitment?: string;
    readonly revision: string;
    readonly stream: string;
    readonly type: string;
    readonly version: number;
  };
  readonly leaf_hash: string;
  /** Of each leg, in its account's chain; `previous` is null for the first one. */
  readonly links: readonly {
    readonly account: string;
    readonly amount_minor: bigint;
    readonly previous: string | null;
    readonly link: string;
  }[];
  /** Null while no head holds it. */
  readonly proof: {
    readonly index: number;
    readonly tree_size: number;
    readonly path: readonly string[];
  } | null;
  /** When a head is expected to hold it; absent where one does. */
  readonly sealed_by?: string;
}

/** The signed state of history at the end of a day. */
export interface SealedHead {
  /** Its canonical JSON (RFC 8785) is what is signed. */
  readonly head: {
    readonly date: string;
    readonly historyRoot: string;
    readonly historySize: string;
    readonly keyId: string;
    readonly previousRoot: string;
    readonly previousTreeSize: string;
    readonly root: string;
    readonly timezone: string;
    readonly treeSize: string;
  };
  /** Ed25519, base64. */
  readonly signature: string;
  /** Base64; trust the one that you know from elsewhere. */
  readonly public_key: string;
}

/** Filters of the transaction list; what is left out filters nothing. */
export interface TransactionFilters {
  readonly type?: TransactionType;
  readonly status?: TransactionStatus;
  /** YYYY-MM-DD, inclusive, a day of your time zone. */
  readonly from?: string;
  /** YYYY-MM-DD, inclusive. */
  readonly to?: string;
  /** What `from` and `to` are days of; `created_at` where left out. */
  readonly date_field?: 'created_at' | 'completed_at' | 'paid_at';
  /** The reference of a batch: only its payouts. */
  readonly batch?: string;
  /** Items a page, 1 to 100; 25 where left out. */
  readonly limit?: number;
  /** `next_cursor` of an earlier page; stays valid for ever. */
  readonly cursor?: string;
}

/** A page of the list, newest first. */
export interface TransactionsPage extends AnswerFacts {
  readonly data: readonly Transaction[];
  /** null: there are no more pages. */
  readonly next_cursor: string | null;
}

/** What an account holds, in minor units, as of one position. */
export interface Balance extends AnswerFacts {
  readonly account_no: string;
  readonly currency: string;
  readonly posted_minor: bigint;
  readonly reserved_minor: bigint;
  readonly available_minor: bigint;
}

/** For any call. */
export interface CallOptions {
  /** Ends the call, its retries included; the call then throws the signal's reason. */
  readonly signal?: AbortSignal;
}

/** For calls that read a view. */
export interface ReadOptions extends CallOptions {
  /** `ledgerPosition` of an earlier answer: the view shows at least that, or the call fails with service_unavailable. */
  readonly minPosition?: string | undefined;
}

/** For calls that can be answered as of a position of the past. */
export interface PastReadOptions extends ReadOptions {
  /**
   * A position of the ledger, such as `ledgerPosition` of an earlier answer: the answer is as of there. Totals, lists and
   * balances of one position agree.
   */
  readonly atPosition?: string | undefined;
}

/** A payout to be asked for: the body of POST /api/v4/payouts; the account is the one that pays. */
export type NewPayout = NewCollection;

/** The answer to a request for a payout. */
export type RequestedPayout = CreatedCollection;

/** What an approval or rejection may repeat of the payout, to be sure that it is the one meant. */
export interface PayoutRepeat {
  readonly phone?: string;
  readonly amount_minor?: AmountMinor;
}

/** The answer to an approval or rejection. */
export type DecidedPayout = Omit<CreatedCollection, 'existing'>;

/** One payout of a batch. */
export interface NewPayoutBatchItem {
  /** Yours, unique per merchant and mode, for ever. */
  readonly reference: string;
  readonly phone: string;
  readonly amount_minor: AmountMinor;
}

/** The body of POST /api/v4/payout-batches: up to 1,000 payouts, asked for and decided as one. */
export interface NewPayoutBatch {
  readonly reference: string;
  readonly account_no: string;
  readonly currency: string;
  readonly channel: string;
  readonly items: readonly NewPayoutBatchItem[];
}

export interface PayoutBatch {
  readonly reference: string;
  /** Of the whole; once it is `pending`, each payout has a status of its own. */
  readonly status: 'pending_approval' | 'pending' | 'rejected';
  readonly count: number;
  /** What the customers receive together, in minor units. */
  readonly amount_minor: bigint;
  readonly currency: string;
}

/** The answer to a request for a batch. */
export type RequestedPayoutBatch = PayoutBatch &
  Pick<CreatedCollection, 'existing' | 'replayed' | 'ledgerPosition'>;

/** The answer to an approval or rejection. */
export type DecidedPayoutBatch = Omit<RequestedPayoutBatch, 'existing'>;

/** What an approval or rejection may repeat of the batch, to be sure that it is the one meant. */
export interface PayoutBatchRepeat {
  readonly count?: number;
  readonly amount_minor?: AmountMinor;
}

/** A batch, and what its payouts in the list come to. */
export type PayoutBatchSummary = PayoutBatch &
  AnswerFacts & {
    readonly account_no: string;
    readonly channel: string;
    readonly by_status: Readonly<
      Record<TransactionStatus, { readonly count: number; readonly amount_minor: bigint }>
    >;
  };
