/** An amount to send: minor units, KES 250.00 is 25000. A number must be an integer below 2^53. */
export type AmountMinor = number | bigint;

export type TransactionType = 'collection' | 'payout';

export type TransactionStatus =
  'pending' | 'completed' | 'failed' | 'pending_approval' | 'rejected';

/** A new collection: the body of POST /api/v4/collections. */
export interface NewCollection {
  /** Your account that receives the money. */
  readonly account_no: string;
  /** International digits-only form: 254712345678. */
  readonly phone: string;
  /** Minimum 1. */
  readonly amount_minor: AmountMinor;
  /** ISO 4217, such as KES. */
  readonly currency: string;
  readonly channel: 'mpesa' | 'airtel';
  /** Your own reference, unique for ever. A second call with it starts no second push. */
  readonly reference: string;
}

/** A payment that you expect without a push: the body of POST /api/v4/expected-payments. */
export interface NewExpectedPayment extends Omit<NewCollection, 'phone' | 'reference'> {
  /**
   * A capital letter and up to 8 capital letters, digits and . / - because the customer types it. Unique among
   * collections, for ever.
   */
  readonly reference: string;
}

/** The facts of an answer besides its body. */
export interface AnswerFacts {
  /** X-PP-Ledger-Position: the position that the answer reflects. Pass it as `minPosition` to read your own writes. */
  readonly ledgerPosition: string | undefined;
}

/** The answer to a create call. */
export interface CreatedCollection extends AnswerFacts {
  /** `pending` if it is new; the current state if the reference existed. */
  readonly status: TransactionStatus;
  readonly reference: string;
  /** The rail's name for the push; null if it is unknown whether a prompt was shown. */
  readonly rail_reference: string | null;
  readonly amount_minor: bigint;
  readonly currency: string;
  /** True if the same Idempotency-Key had been answered before. */
  readonly replayed: boolean;
  /** True if the reference existed before this call: the answer is that collection, and nothing was pushed. */
  readonly existing: boolean;
}

/** The answer to `collections.expect`. */
export interface ExpectedPayment extends Omit<CreatedCollection, 'rail_reference'> {
  /** Show this to the customer. */
  readonly pay_to: {
    /** The number that the customer pays. */
    readonly pay_bill: string;
    /** The account that the customer types: your account number, a space and your reference. */
    readonly account: string;
  };
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
  /** The reason why it failed, such as `cancelled`. */
  readonly failure_code: string | null;
  /** True while it is under review by a person. */
  readonly under_review: boolean;
  readonly created_at: string;
  readonly completed_at: string | null;
  /** The rail's own time of payment. */
  readonly paid_at: string | null;
  /** False if the rail has not reported it: `date_field=paid_at` then uses the day of the posting. */
  readonly paid_at_known: boolean;
  /** Only for a payout in a batch: the batch's reference. */
  readonly batch?: string;
  /** Only for a payout: the rail's own account does not cover it yet. */
  readonly waiting_for_float?: true;
  /** Only for a payout: it is approved, and an operator of the service has paused payouts. */
  readonly paused?: true;
  /** Present if the customer paid without a push. */
  readonly origin?: 'c2b';
  /** Only for a collection with a refund. The collection itself stays `completed`. */
  readonly refund_status?: 'pending' | 'partial' | 'refunded';
  /** The sum that the customer got back; absent if it is 0. */
  readonly refunded_minor?: bigint;
  /** Only for a payout that is a refund: the reference of the collection. */
  readonly refund_of?: string;
  /** Present if the posted amount differs from the requested one. */
  readonly requested_minor?: bigint;
}

/** A collection, its postings, and the proof that they are part of history. */
export interface Receipt {
  readonly item: Transaction;
  /** Empty while no money is posted. */
  readonly postings: readonly ReceiptPosting[];
  /** The newest head; null before the first day is sealed. */
  readonly head: SealedHead | null;
}

/** The content of a posting, and its place in the tree of all postings. Hashes are lower-case hex. */
export interface ReceiptPosting {
  /** Its canonical JSON (RFC 8785) is hashed. */
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
  /** The link of each leg in its account's chain; `previous` is null for the first one. */
  readonly links: readonly {
    readonly account: string;
    readonly amount_minor: bigint;
    readonly previous: string | null;
    readonly link: string;
  }[];
  /** Null while no head contains it. */
  readonly proof: {
    readonly index: number;
    readonly tree_size: number;
    readonly path: readonly string[];
  } | null;
  /** The time at which a head is expected to contain it; absent if one does. */
  readonly sealed_by?: string;
}

/** The signed state of history at the end of a day. */
export interface SealedHead {
  /** Its canonical JSON (RFC 8785) is signed. */
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
  /** Base64. Trust only a key that you know from elsewhere. */
  readonly public_key: string;
}

/** Filters of the transaction list. An omitted filter does not filter. */
export interface TransactionFilters {
  readonly type?: TransactionType;
  readonly status?: TransactionStatus;
  /** YYYY-MM-DD, inclusive, a day of your time zone. */
  readonly from?: string;
  /** YYYY-MM-DD, inclusive. */
  readonly to?: string;
  /** The time that `from` and `to` refer to; `created_at` if omitted. */
  readonly date_field?: 'created_at' | 'completed_at' | 'paid_at';
  /** The reference of a batch, to list only its payouts. */
  readonly batch?: string;
  /** Only collections that came this way; `c2b`: the customer paid without a push. */
  readonly origin?: 'v4' | 'v3' | 'checkout' | 'c2b';
  /** Items per page, 1 to 100; 25 if omitted. */
  readonly limit?: number;
  /** `next_cursor` of an earlier page. It stays valid for ever. */
  readonly cursor?: string;
}

/** A page of the list, newest first. */
export interface TransactionsPage extends AnswerFacts {
  readonly data: readonly Transaction[];
  /** null if there are no more pages. */
  readonly next_cursor: string | null;
}

/** An account's balance, in minor units, as of one position. */
export interface Balance extends AnswerFacts {
  readonly account_no: string;
  readonly currency: string;
  readonly posted_minor: bigint;
  readonly reserved_minor: bigint;
  readonly available_minor: bigint;
}

/** Options of any call. */
export interface CallOptions {
  /** Ends the call, its retries included; the call then throws the signal's reason. */
  readonly signal?: AbortSignal;
}

/** Options of calls that read a view. */
export interface ReadOptions extends CallOptions {
  /**
   * `ledgerPosition` of an earlier answer. The view shows at least that position, or the call fails with
   * service_unavailable.
   */
  readonly minPosition?: string | undefined;
}

/** Options of calls that can be answered as of a past position. */
export interface PastReadOptions extends ReadOptions {
  /**
   * A position of the ledger, such as `ledgerPosition` of an earlier answer. The answer is as of that position. Totals,
   * lists and balances of one position agree.
   */
  readonly atPosition?: string | undefined;
}

/** A new payout: the body of POST /api/v4/payouts. The account is the one that pays. */
export type NewPayout = NewCollection;

/** The answer to a request for a payout. */
export type RequestedPayout = CreatedCollection;

/** A new refund: the body of POST /api/v4/collections/{reference}/refund. */
export interface NewRefund {
  /** Your own reference of the refund, unique among payouts and refunds of the mode, for ever. */
  readonly reference: string;
  /** Minor units. If omitted, everything that is left is given back. */
  readonly amount_minor?: AmountMinor;
  /** The number that paid. Needed for a part, which the rail does not reverse but sends to the number. */
  readonly phone?: string;
}

/** Values of the payout that an approval or rejection may repeat, to be sure that it is the intended one. */
export interface PayoutRepeat {
  readonly phone?: string;
  readonly amount_minor?: AmountMinor;
}

/** The answer to an approval or rejection. */
export type DecidedPayout = Omit<CreatedCollection, 'existing'>;

/** One payout of a batch. */
export interface NewPayoutBatchItem {
  /** Your own reference, unique per merchant and mode, for ever. */
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
  /** The status of the whole batch. Once it is `pending`, each payout has a status of its own. */
  readonly status: 'pending_approval' | 'pending' | 'rejected';
  readonly count: number;
  /** The total that the customers receive, in minor units. */
  readonly amount_minor: bigint;
  readonly currency: string;
}

/** The answer to a request for a batch. */
export type RequestedPayoutBatch = PayoutBatch &
  Pick<CreatedCollection, 'existing' | 'replayed' | 'ledgerPosition'>;

/** The answer to an approval or rejection. */
export type DecidedPayoutBatch = Omit<RequestedPayoutBatch, 'existing'>;

/** Values of the batch that an approval or rejection may repeat, to be sure that it is the intended one. */
export interface PayoutBatchRepeat {
  readonly count?: number;
  readonly amount_minor?: AmountMinor;
}

/** A batch, with totals of its payouts in the list. */
export type PayoutBatchSummary = PayoutBatch &
  AnswerFacts & {
    readonly account_no: string;
    readonly channel: string;
    readonly by_status: Readonly<
      Record<TransactionStatus, { readonly count: number; readonly amount_minor: bigint }>
    >;
  };
