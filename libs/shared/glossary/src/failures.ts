import { type Language } from '#shared/http';

/** A failure in words. */
export interface FailureTerm {
  /** The meaning in a few words, without a full stop. */
  readonly meaning: string;
  /** The merchant's next step, as a sentence. */
  readonly next: string;
}

const term = (meaning: string, next: string): FailureTerm => ({ meaning, next });

/** Steps that several failures share. */
const steps = {
  en: {
    again: 'Try again with a new reference.',
    later: 'Wait a minute, then try again with a new reference.',
    support: 'Contact support.',
    supportWithReference: 'Contact support with the reference.',
    timeline: 'Read the reason in the timeline.',
  },
  sw: {
    again: 'Jaribu tena kwa kumbukumbu mpya.',
    later: 'Subiri dakika moja, kisha jaribu tena kwa kumbukumbu mpya.',
    support: 'Wasiliana na msaada.',
    supportWithReference: 'Wasiliana na msaada ukitaja kumbukumbu.',
    timeline: 'Soma sababu katika mtiririko wa matukio.',
  },
} as const satisfies Readonly<Record<Language, Readonly<Record<string, string>>>>;

const english = {
  above_maximum: term('Above M-Pesa’s maximum amount', 'Collect it in smaller parts.'),
  balance_limit_exceeded: term(
    'The recipient’s M-Pesa balance would be too high',
    'Ask the recipient to make room, or use another number.',
  ),
  below_minimum: term('Below M-Pesa’s minimum amount', 'Send a larger amount.'),
  cancelled: term(
    'The customer cancelled',
    'Ask the customer, then try again with a new reference.',
  ),
  daily_limit_exceeded: term(
    'Over the daily M-Pesa limit',
    'Try again tomorrow, or use another number.',
  ),
  duplicate_amount: term(
    'Same amount sent to this number moments ago',
    'Wait a few minutes, then try again with a new reference.',
  ),
  expired: term(
    'The prompt expired',
    'Try again with a new reference while the customer has the phone at hand.',
  ),
  insufficient_funds: term(
    'Not enough money',
    'Collection: ask the customer to top up, then try again. Payout: add funds first.',
  ),
  invalid_party: term(
    'M-Pesa does not know the number or short code',
    'Check the phone number. If it is right, contact support.',
  ),
  invalid_request: term('M-Pesa rejected the request', steps.en.supportWithReference),
  no_answer: term(
    'The phone did not answer',
    'Ask the customer to switch the phone on, then try again with a new reference.',
  ),
  not_paid: term('An operator decided: not paid', steps.en.timeline),
  not_sent: term('Never sent to M-Pesa', steps.en.again),
  push_error: term('M-Pesa could not show the prompt', steps.en.again),
  rail_account_inactive: term('PesaPost’s M-Pesa account is not active', steps.en.support),
  rail_busy: term('M-Pesa was too busy', steps.en.later),
  rail_congested: term('M-Pesa was congested', steps.en.later),
  rail_declined: term('M-Pesa declined', steps.en.supportWithReference),
  rail_float_insufficient: term(
    'PesaPost’s M-Pesa account was short of money',
    'Contact support, then request the payout again.',
  ),
  rail_quota_exceeded: term('M-Pesa’s quota was used up', steps.en.later),
  rail_refused: term(
    'M-Pesa refused the request',
    'Check the phone number and the amount. If both are right, contact support.',
  ),
  rail_unauthorized: term('M-Pesa did not accept PesaPost’s credentials', steps.en.support),
  rail_unavailable: term('Could not reach M-Pesa', steps.en.later),
  receiver_not_registered: term('The recipient is not on M-Pesa', 'Check the phone number.'),
  reference_taken: term('The reference was already used', 'Use a new reference.'),
  refunded: term('Refunded to the customer', 'Nothing to do.'),
  rejected_by_holder: term('Rejected by the second person', steps.en.timeline),
  request_lost: term('The batch was never recorded', 'Send the batch again with new references.'),
  subscriber_busy: term('Another M-Pesa request was open on the phone', steps.en.later),
  subscriber_locked: term(
    'The customer’s M-Pesa is locked',
    'Ask the customer to call Safaricom, or use another number.',
  ),
  wrong_pin: term('Wrong PIN', steps.en.again),
} as const satisfies Readonly<Record<string, FailureTerm>>;

/** A code that the API lists as a `failure_code`. */
export type FailureCode = keyof typeof english;

const swahili: Readonly<Record<FailureCode, FailureTerm>> = {
  above_maximum: term('Kiasi kinazidi kikomo cha M-Pesa', 'Kusanya kwa sehemu ndogo.'),
  balance_limit_exceeded: term(
    'Salio la M-Pesa la mpokeaji lingezidi kikomo',
    'Mwombe mpokeaji apunguze salio, au tumia namba nyingine.',
  ),
  below_minimum: term('Kiasi kiko chini ya kiwango', 'Tumia kiasi kikubwa zaidi.'),
  cancelled: term('Mteja alighairi', 'Mwulize mteja, kisha jaribu tena kwa kumbukumbu mpya.'),
  daily_limit_exceeded: term(
    'Kikomo cha M-Pesa cha siku kimefikiwa',
    'Jaribu tena kesho, au tumia namba nyingine.',
  ),
  duplicate_amount: term(
    'Kiasi hicho kilitumwa kwa namba hii punde tu',
    'Subiri dakika chache, kisha jaribu tena kwa kumbukumbu mpya.',
  ),
  expired: term(
    'Ombi liliisha muda',
    'Jaribu tena kwa kumbukumbu mpya mteja akiwa na simu karibu.',
  ),
  insufficient_funds: term(
    'Pesa hazitoshi',
    'Makusanyo: mteja aongeze salio, kisha jaribu tena. Malipo ya kutoka: ongeza fedha kwanza.',
  ),
  invalid_party: term(
    'M-Pesa haijui namba au shortcode hii',
    'Angalia namba ya simu. Ikiwa ni sahihi, wasiliana na msaada.',
  ),
  invalid_request: term('M-Pesa haikukubali ombi', steps.sw.supportWithReference),
  no_answer: term('Simu haikujibu', 'Mteja awashe simu, kisha jaribu tena kwa kumbukumbu mpya.'),
  not_paid: term('Mhudumu aliamua: haijalipwa', steps.sw.timeline),
  not_sent: term('Haikutumwa kwa M-Pesa', steps.sw.again),
  push_error: term('M-Pesa haikuweza kuonyesha ombi', steps.sw.again),
  rail_account_inactive: term('Akaunti ya M-Pesa ya PesaPost haifanyi kazi', steps.sw.support),
  rail_busy: term('M-Pesa ilikuwa na shughuli nyingi', steps.sw.later),
  rail_congested: term('M-Pesa ilikuwa na msongamano', steps.sw.later),
  rail_declined: term('M-Pesa ilikataa', steps.sw.supportWithReference),
  rail_float_insufficient: term(
    'Akaunti ya M-Pesa ya PesaPost haikuwa na pesa za kutosha',
    'Wasiliana na msaada, kisha omba malipo tena.',
  ),
  rail_quota_exceeded: term('Kiwango cha M-Pesa kilikuwa kimekwisha', steps.sw.later),
  rail_refused: term(
    'M-Pesa ilikataa ombi',
    'Angalia namba ya simu na kiasi. Ikiwa ni sahihi, wasiliana na msaada.',
  ),
  rail_unauthorized: term('M-Pesa haikukubali utambulisho wa PesaPost', steps.sw.support),
  rail_unavailable: term('M-Pesa haikupatikana', steps.sw.later),
  receiver_not_registered: term('Mpokeaji hajasajiliwa na M-Pesa', 'Angalia namba ya simu.'),
  reference_taken: term('Kumbukumbu hiyo ilishatumika', 'Tumia kumbukumbu mpya.'),
  refunded: term('Pesa zilirudishwa kwa mteja', 'Hakuna la kufanya.'),
  rejected_by_holder: term('Ilikataliwa na mtu wa pili', steps.sw.timeline),
  request_lost: term('Kundi halikurekodiwa', 'Tuma kundi tena kwa kumbukumbu mpya.'),
  subscriber_busy: term('Ombi lingine la M-Pesa lilikuwa wazi kwenye simu', steps.sw.later),
  subscriber_locked: term(
    'M-Pesa ya mteja imefungwa',
    'Mteja apigie Safaricom, au tumia namba nyingine.',
  ),
  wrong_pin: term('PIN si sahihi', steps.sw.again),
};

/** The codes that have words, in alphabetical order. */
export const failureCodes = Object.keys(english) as readonly FailureCode[];

/** The words for a `failure_code`, or undefined for a code of a later release. */
export function failureTerm(code: string, language: Language): FailureTerm | undefined {
  const terms: Readonly<Record<string, FailureTerm>> = language === 'en' ? english : swahili;
  return Object.hasOwn(terms, code) ? terms[code] : undefined;
}
