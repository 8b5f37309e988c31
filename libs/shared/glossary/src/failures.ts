import type { RejectionReason } from '#domain/payouts';
import { onRail } from './rails.js';
import { type Retry } from './retry.js';
import { type Term } from './term.js';

/** A `failure_code` in words. */
export interface Failure {
  /** The reason, as a label. */
  readonly reason: Term;
  /** The merchant's next step, in a sentence or two. */
  readonly next: Term;
  /** For a new collection or payout, with a new reference. */
  readonly retry: Retry;
}

const askPesaPost = {
  en: 'Contact PesaPost support.',
  sw: 'Wasiliana na PesaPost.',
} as const satisfies Term;
const tryLater = {
  en: 'Try again in a few minutes.',
  sw: 'Jaribu tena baada ya dakika chache.',
} as const satisfies Term;
const askCustomer = {
  en: 'Ask the customer, then request the payment again.',
  sw: 'Muulize mteja, kisha uombe malipo tena.',
} as const satisfies Term;
const otherReference = {
  en: 'Use a new reference.',
  sw: 'Tumia kumbukumbu mpya.',
} as const satisfies Term;

/** Every failure code of collections and payouts. */
export const failures = {
  above_maximum: {
    reason: { en: 'Amount above the M-Pesa maximum', sw: 'Kiasi kinazidi kikomo cha M-Pesa' },
    next: { en: 'Use a smaller amount.', sw: 'Tumia kiasi kidogo zaidi.' },
    retry: 'after_change',
  },
  balance_limit_exceeded: {
    reason: {
      en: 'Receiver’s M-Pesa balance would be too high',
      sw: 'Salio la M-Pesa la mpokeaji lingezidi kikomo',
    },
    next: {
      en: 'Use a smaller amount, or another number of the customer.',
      sw: 'Tumia kiasi kidogo zaidi, au nambari nyingine ya mteja.',
    },
    retry: 'after_change',
  },
  below_minimum: {
    reason: { en: 'Amount below the M-Pesa minimum', sw: 'Kiasi kiko chini ya kikomo cha M-Pesa' },
    next: { en: 'Use a larger amount.', sw: 'Tumia kiasi kikubwa zaidi.' },
    retry: 'after_change',
  },
  cancelled: {
    reason: { en: 'The customer cancelled', sw: 'Mteja alighairi' },
    next: askCustomer,
    retry: 'yes',
  },
  daily_limit_exceeded: {
    reason: { en: 'Daily M-Pesa limit reached', sw: 'Kikomo cha siku cha M-Pesa kimefikiwa' },
    next: { en: 'Try again tomorrow.', sw: 'Jaribu tena kesho.' },
    retry: 'yes',
  },
  duplicate_amount: {
    reason: {
      en: 'Same amount for this number too soon',
      sw: 'Kiasi hicho hicho kwa nambari hii mapema mno',
    },
    next: {
      en: 'Check that the first payment was not the same one. Then try again in a few minutes.',
      sw: 'Hakikisha malipo ya kwanza si haya haya. Kisha jaribu tena baada ya dakika chache.',
    },
    retry: 'yes',
  },
  expired: {
    reason: { en: 'The prompt expired', sw: 'Muda wa ombi uliisha' },
    next: askCustomer,
    retry: 'yes',
  },
  insufficient_funds: {
    reason: { en: 'Not enough M-Pesa balance', sw: 'Salio la M-Pesa halitoshi' },
    next: {
      en: 'Ask the customer to top up or to use another number.',
      sw: 'Mwombe mteja aongeze salio au atumie nambari nyingine.',
    },
    retry: 'after_change',
  },
  invalid_party: {
    reason: {
      en: 'M-Pesa doesn’t know the number or short code',
      sw: 'M-Pesa haijui nambari au shortcode hii',
    },
    next: {
      en: 'Check the phone number. If it is right, contact PesaPost support.',
      sw: 'Kagua nambari ya simu. Ikiwa ni sahihi, wasiliana na PesaPost.',
    },
    retry: 'after_change',
  },
  invalid_request: {
    reason: {
      en: 'M-Pesa found the request invalid',
      sw: 'M-Pesa iliona ombi si halali',
    },
    next: {
      en: 'Check the phone number and the amount.',
      sw: 'Kagua nambari ya simu na kiasi.',
    },
    retry: 'after_change',
  },
  no_answer: {
    reason: { en: 'The customer didn’t respond', sw: 'Mteja hakujibu' },
    next: askCustomer,
    retry: 'yes',
  },
  not_paid: {
    reason: { en: 'Not paid, confirmed by a review', sw: 'Haikulipwa, ukaguzi umethibitisha' },
    next: { en: 'Request the payment again.', sw: 'Omba malipo tena.' },
    retry: 'yes',
  },
  not_sent: {
    reason: { en: 'Not sent to M-Pesa', sw: 'Haikutumwa kwa M-Pesa' },
    next: { en: 'Request the payment again.', sw: 'Omba malipo tena.' },
    retry: 'yes',
  },
  push_error: {
    reason: { en: 'M-Pesa couldn’t show the prompt', sw: 'M-Pesa haikuweza kuonyesha ombi' },
    next: {
      en: 'Ask the customer to check the phone and its signal. Then try again.',
      sw: 'Mwombe mteja akague simu na mtandao wake. Kisha jaribu tena.',
    },
    retry: 'yes',
  },
  rail_account_inactive: {
    reason: {
      en: 'PesaPost’s M-Pesa account is not active',
      sw: 'Akaunti ya M-Pesa ya PesaPost haitumiki',
    },
    next: askPesaPost,
    retry: 'after_change',
  },
  rail_busy: {
    reason: { en: 'M-Pesa was busy', sw: 'M-Pesa ilikuwa na foleni' },
    next: tryLater,
    retry: 'yes',
  },
  rail_congested: {
    reason: { en: 'M-Pesa was overloaded', sw: 'M-Pesa ilizidiwa na maombi' },
    next: tryLater,
    retry: 'yes',
  },
  rail_declined: {
    reason: { en: 'M-Pesa declined the payment', sw: 'M-Pesa ilikataa malipo' },
    next: askPesaPost,
    retry: 'after_change',
  },
  rail_float_insufficient: {
    reason: {
      en: 'PesaPost’s M-Pesa account ran short',
      sw: 'Akaunti ya M-Pesa ya PesaPost ilipungukiwa',
    },
    next: askPesaPost,
    retry: 'after_change',
  },
  rail_quota_exceeded: {
    reason: { en: 'M-Pesa request limit reached', sw: 'Kikomo cha maombi ya M-Pesa kimefikiwa' },
    next: tryLater,
    retry: 'yes',
  },
  rail_refused: {
    reason: { en: 'M-Pesa rejected the request', sw: 'M-Pesa ilikataa ombi' },
    next: tryLater,
    retry: 'yes',
  },
  rail_unauthorized: {
    reason: {
      en: 'M-Pesa rejected PesaPost’s credentials',
      sw: 'M-Pesa ilikataa utambulisho wa PesaPost',
    },
    next: askPesaPost,
    retry: 'after_change',
  },
  rail_unavailable: {
    reason: { en: 'We couldn’t reach M-Pesa', sw: 'Hatukuweza kufikia M-Pesa' },
    next: tryLater,
    retry: 'yes',
  },
  receiver_not_registered: {
    reason: { en: 'The receiver has no M-Pesa account', sw: 'Mpokeaji hana akaunti ya M-Pesa' },
    next: {
      en: 'Ask the customer for a number with M-Pesa.',
      sw: 'Mwombe mteja nambari yenye M-Pesa.',
    },
    retry: 'after_change',
  },
  reference_taken: {
    reason: { en: 'Reference already used', sw: 'Kumbukumbu ilishatumika' },
    next: otherReference,
    retry: 'after_change',
  },
  refunded: {
    reason: { en: 'Refunded to the customer', sw: 'Pesa zilirudishwa kwa mteja' },
    next: {
      en: 'If the customer still wants to pay, request the payment again.',
      sw: 'Ikiwa mteja bado anataka kulipa, omba malipo tena.',
    },
    retry: 'yes',
  },
  rejected_by_holder: {
    reason: { en: 'Rejected by the second person', sw: 'Mtu wa pili alikataa' },
    next: {
      en: 'Ask why. If it is right after all, request it again.',
      sw: 'Uliza sababu. Ikiwa ni sahihi, omba tena.',
    },
    retry: 'after_change',
  },
  receipt_unknown: {
    reason: {
      en: 'M-Pesa does not know the payment',
      sw: 'M-Pesa haitambui malipo hayo',
    },
    next: {
      en: 'Check the receipt on the M-Pesa statement.',
      sw: 'Angalia risiti kwenye taarifa ya M-Pesa.',
    },
    retry: 'no',
  },
  already_refunded: {
    reason: { en: 'The payment was already refunded', sw: 'Malipo yalisharudishwa' },
    next: {
      en: 'Check the refunds of the payment.',
      sw: 'Angalia marejesho ya malipo hayo.',
    },
    retry: 'no',
  },
  request_lost: {
    reason: { en: 'The batch request was lost', sw: 'Ombi la kundi lilipotea' },
    next: { en: 'Request the batch again.', sw: 'Omba kundi tena.' },
    retry: 'yes',
  },
  subscriber_busy: {
    reason: {
      en: 'Another M-Pesa request was open',
      sw: 'Ombi lingine la M-Pesa lilikuwa wazi',
    },
    next: {
      en: 'Ask the customer to close the other request. Then try again.',
      sw: 'Mwombe mteja afunge ombi lingine. Kisha jaribu tena.',
    },
    retry: 'yes',
  },
  subscriber_locked: {
    reason: { en: 'The customer’s M-Pesa is locked', sw: 'M-Pesa ya mteja imefungwa' },
    next: {
      en: 'The customer unlocks it with Safaricom, or uses another number.',
      sw: 'Mteja aifungue kwa Safaricom, au atumie nambari nyingine.',
    },
    retry: 'after_change',
  },
  wrong_pin: {
    reason: { en: 'Wrong M-Pesa PIN', sw: 'PIN ya M-Pesa si sahihi' },
    next: askCustomer,
    retry: 'yes',
  },
} as const satisfies Readonly<Record<string, Failure>> & Readonly<Record<RejectionReason, Failure>>;

export type FailureCode = keyof typeof failures;

/** Codes that mean something else if a payout has them. */
const payoutFailures: Readonly<Partial<Record<FailureCode, Failure>>> = {
  cancelled: {
    reason: { en: 'Cancelled before it was paid', sw: 'Yalighairiwa kabla ya kulipwa' },
    next: {
      en: 'If the customer is still owed the money, request the payout again.',
      sw: 'Ikiwa mteja bado anadai pesa, omba malipo tena.',
    },
    retry: 'yes',
  },
  expired: {
    reason: { en: 'M-Pesa let the payout expire', sw: 'Muda wa malipo uliisha M-Pesa' },
    next: { en: 'Request the payout again.', sw: 'Omba malipo tena.' },
    retry: 'yes',
  },
  insufficient_funds: {
    reason: { en: 'Not enough available balance', sw: 'Salio linalopatikana halitoshi' },
    next: {
      en: 'Wait for collections, or pay out less.',
      sw: 'Subiri makusanyo, au lipa kiasi kidogo zaidi.',
    },
    retry: 'after_change',
  },
  not_paid: {
    reason: failures.not_paid.reason,
    next: { en: 'Request the payout again.', sw: 'Omba malipo tena.' },
    retry: 'yes',
  },
  not_sent: {
    reason: failures.not_sent.reason,
    next: { en: 'Request the payout again.', sw: 'Omba malipo tena.' },
    retry: 'yes',
  },
};

/**
 * A failure code in words, or undefined for a code of a later release.
 * @param channel the rail that the words name
 */
export function failureOf(
  code: string,
  type: 'collection' | 'payout',
  channel = 'mpesa',
): Failure | undefined {
  if (!isFailureCode(code)) return undefined;
  const failure = (type === 'payout' ? payoutFailures[code] : undefined) ?? failures[code];
  return onRail<Failure>(failure, channel);
}

function isFailureCode(code: string): code is FailureCode {
  return Object.hasOwn(failures, code);
}
