/**
 * The phone numbers that decide an outcome in demo mode, as data. A spec of the simulator compares each with the
 * simulator's own table.
 */
export interface TestNumber {
  readonly phone: string;
  /** The outcome in a few words of Markdown. */
  readonly outcome: string;
  /** The state of the item in the end. */
  readonly ends: 'completed' | 'failed' | 'pending';
  readonly failureCode?: string;
  /** True for the numbers that a developer tries first. */
  readonly isCommon?: true;
}

/** Numbers for collections. Any other number pays. */
export const testNumbers: readonly TestNumber[] = [
  { phone: '254712345678', outcome: 'pays', ends: 'completed', isCommon: true },
  {
    phone: '254700000002',
    outcome: 'the customer cancels: `failed`, `cancelled`',
    ends: 'failed',
    failureCode: 'cancelled',
    isCommon: true,
  },
  {
    phone: '254700000003',
    outcome: 'not enough M-Pesa balance: `failed`, `insufficient_funds`',
    ends: 'failed',
    failureCode: 'insufficient_funds',
    isCommon: true,
  },
  {
    phone: '254700000004',
    outcome: 'wrong M-Pesa PIN: `failed`, `wrong_pin`',
    ends: 'failed',
    failureCode: 'wrong_pin',
    isCommon: true,
  },
  {
    phone: '254700000005',
    outcome: 'the customer doesn’t respond: `failed`, `no_answer`',
    ends: 'failed',
    failureCode: 'no_answer',
    isCommon: true,
  },
  {
    phone: '254700000006',
    outcome: 'pays, but the callback is lost: `completed` after the first query',
    ends: 'completed',
    isCommon: true,
  },
  { phone: '254700000007', outcome: 'pays; the callback comes twice', ends: 'completed' },
  {
    phone: '254700000008',
    outcome: 'first no answer, `failed`; then the payment arrives, `completed`',
    ends: 'completed',
  },
  {
    phone: '254700000009',
    outcome: 'pays; the callback overtakes the answer to the push',
    ends: 'completed',
  },
  {
    phone: '254700000010',
    outcome: 'pays another amount: stays `pending`, `under_review`',
    ends: 'pending',
    isCommon: true,
  },
  {
    phone: '254700000011',
    outcome: 'the push is refused at once: 502 `rail_rejected`',
    ends: 'failed',
    failureCode: 'invalid_request',
    isCommon: true,
  },
  {
    phone: '254700000012',
    outcome: 'the answer to the push is lost: `rail_reference` is `null` at first',
    ends: 'completed',
    isCommon: true,
  },
  {
    phone: '254700000013',
    outcome:
      'the answer to the push is lost, and the customer never answers: stays `pending` until a person reviews it',
    ends: 'pending',
  },
  {
    phone: '254700000014',
    outcome: 'M-Pesa is busy and refuses the push: 502 `rail_rejected`',
    ends: 'failed',
    failureCode: 'rail_refused',
  },
  {
    phone: '254700000015',
    outcome: 'M-Pesa answers the push after 20 s: `pending` with `rail_reference: null`, then pays',
    ends: 'completed',
  },
  {
    phone: '254700000016',
    outcome: 'pays without a callback; the third query finds the payment',
    ends: 'completed',
  },
  {
    phone: '254700000017',
    outcome: 'M-Pesa refuses the push twice because it is busy, then accepts it; pays',
    ends: 'completed',
  },
  {
    phone: '254700000018',
    outcome: 'pays without a callback; a first query wrongly says no answer',
    ends: 'completed',
  },
  {
    phone: '254700000019',
    outcome: 'first no answer, `failed`; then pays, and only a query finds the payment',
    ends: 'completed',
  },
  {
    phone: '254700000020',
    outcome: 'another M-Pesa request is open: `failed`, `subscriber_busy`',
    ends: 'failed',
    failureCode: 'subscriber_busy',
  },
  {
    phone: '254700000021',
    outcome: 'pays; its `rail_reference` hides the number that M-Pesa’s id contains',
    ends: 'completed',
  },
];

/** Numbers for refunds of a whole payment. A payment of any other number is reversed. */
export const refundTestNumbers: readonly TestNumber[] = [
  { phone: '254712345678', outcome: 'the payment is reversed', ends: 'completed', isCommon: true },
  {
    phone: '254700000111',
    outcome: 'M-Pesa refuses the refund at once: `failed`, `invalid_request`',
    ends: 'failed',
    failureCode: 'invalid_request',
  },
  {
    phone: '254700000112',
    outcome: 'the short code has too little money: `failed`, `rail_float_insufficient`',
    ends: 'failed',
    failureCode: 'rail_float_insufficient',
  },
  {
    phone: '254700000113',
    outcome: 'M-Pesa’s answer is lost; the payment is reversed, and the result arrives',
    ends: 'completed',
  },
  {
    phone: '254700000114',
    outcome: 'the payment is reversed; the result is lost, and a status query finds it',
    ends: 'completed',
  },
  { phone: '254700000115', outcome: 'is reversed; the result comes twice', ends: 'completed' },
  {
    phone: '254700000116',
    outcome: 'no result ever comes: stays `pending`, `under_review`',
    ends: 'pending',
  },
  {
    phone: '254700000117',
    outcome: 'a person reversed the payment before: stays `pending`, `under_review`',
    ends: 'pending',
  },
];

/** Numbers for payouts. Any other number is paid. */
export const payoutTestNumbers: readonly TestNumber[] = [
  { phone: '254712345678', outcome: 'is paid', ends: 'completed', isCommon: true },
  {
    phone: '254700000019',
    outcome: 'fails first, `failed`; then is paid, and only a status query shows it',
    ends: 'completed',
  },
  {
    phone: '254700000101',
    outcome: 'M-Pesa refuses the payout at once: `failed`, `invalid_request`',
    ends: 'failed',
    failureCode: 'invalid_request',
  },
  {
    phone: '254700000102',
    outcome: 'the customer’s wallet is full: `failed`, `balance_limit_exceeded`',
    ends: 'failed',
    failureCode: 'balance_limit_exceeded',
  },
  {
    phone: '254700000103',
    outcome: 'M-Pesa’s answer is lost; is paid, and the result arrives',
    ends: 'completed',
  },
  {
    phone: '254700000104',
    outcome: 'is paid; the result is lost, and a status query finds it',
    ends: 'completed',
  },
  { phone: '254700000105', outcome: 'is paid; the result comes twice', ends: 'completed' },
  {
    phone: '254700000106',
    outcome: 'no result ever comes: stays `pending`, `under_review`',
    ends: 'pending',
  },
];
