/** The content of a valid reversal request. Money is text of cents, as the journal stores it. */
export interface ReversalRequest {
  /** The receipt of the payment. */
  readonly paidReceipt: string;
  readonly amountMinor: string;
  readonly resultUrl: string;
}

/** An accepted request as the journal stores it. */
export interface AcceptedReversal extends ReversalRequest {
  /** The rail's own, because a request has no field for an id of the caller. */
  readonly originatorConversationId: string;
  readonly conversationId: string;
  /** The receipt of the reversal itself. */
  readonly transactionId: string;
  readonly acceptedAtMs: number;
  readonly delayMs: number;
  /** The payment when the request came; null if the rail took no payment with that receipt. */
  readonly payment: { readonly phone: string; readonly amountMinor: string } | null;
}

/** Result codes of Daraja: two of them are text. */
export const reversalResultTexts = {
  0: 'The service request is processed successfully.',
  1: 'The balance is insufficient for the transaction.',
  2028: 'The request is not permitted according to product assignment.',
  R000001: 'The transaction has already been reversed.',
  R000002: 'The OriginalTransactionID is invalid.',
} as const;

export type ReversalResultCode = keyof typeof reversalResultTexts;

/** The rail's behaviour for the payments of one phone number. */
export interface ReversalScenario {
  /** `lost`: accepted, then the connection breaks · `invalid`: refused. */
  readonly answer: 'answered' | 'lost' | 'invalid';
  /** The result of a request that the rail could carry out; undefined if none ever comes. */
  readonly result: 0 | 1 | undefined;
  /** The number of reports of the result. */
  readonly callbacks: number;
  /** True if a person reversed the payment in the portal before the request came. */
  readonly isDoneByHand?: true;
}

/** A request and its progress. */
export interface ReversalState {
  readonly reversal: AcceptedReversal;
  readonly scenario: ReversalScenario;
  /** The result at the rail; absent while the reversal is in progress. */
  settled?: { readonly result: ReversalResultCode; readonly atMs: number };
  /** True if each callback of the result was tried. */
  told: boolean;
}

const reverses: ReversalScenario = { answer: 'answered', result: 0, callbacks: 1 };

/** Like test cards: the payer's whole number decides. Payments of other numbers are reversed. */
export const reversalScenarios: Readonly<Record<string, ReversalScenario>> = {
  254700000111: { ...reverses, answer: 'invalid' },
  254700000112: { ...reverses, result: 1 },
  254700000113: { ...reverses, answer: 'lost' },
  254700000114: { ...reverses, callbacks: 0 },
  254700000115: { ...reverses, callbacks: 2 },
  254700000116: { ...reverses, result: undefined, callbacks: 0 },
  254700000117: { ...reverses, isDoneByHand: true },
};

/** @param phone the payer's twelve digits, `254…`; undefined if there is no such payment */
export function reversalScenarioOf(phone: string | undefined): ReversalScenario {
  return reversalScenarios[phone ?? ''] ?? reverses;
}
