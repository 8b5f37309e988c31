import { type Language } from '#shared/http';
import { html, type Html } from '#shared/html';

const english = {
  above_maximum: 'The amount is above M-Pesa’s maximum',
  balance_limit_exceeded: 'The receiver’s M-Pesa balance would be too high',
  below_minimum: 'The amount is below M-Pesa’s minimum',
  cancelled: 'The customer cancelled',
  daily_limit_exceeded: 'The M-Pesa limit of the day is reached',
  duplicate_amount: 'M-Pesa just carried the same amount for this number',
  expired: 'The prompt expired',
  insufficient_funds: 'There was not enough money',
  invalid_party: 'M-Pesa does not know the number or the short code',
  invalid_request: 'M-Pesa did not accept the request',
  no_answer: 'The customer did not answer the prompt',
  not_paid: 'Decided by an operator: not paid',
  not_sent: 'PesaPost sent nothing to M-Pesa',
  push_error: 'M-Pesa could not show the prompt',
  rail_account_inactive: 'Our M-Pesa account is not active',
  rail_busy: 'M-Pesa was too busy',
  rail_congested: 'M-Pesa was congested',
  rail_declined: 'M-Pesa declined',
  rail_float_insufficient: 'Our M-Pesa account did not hold enough',
  rail_quota_exceeded: 'M-Pesa’s quota was used up',
  rail_refused: 'M-Pesa refused the request',
  rail_unauthorized: 'M-Pesa did not accept our credentials',
  rail_unavailable: 'M-Pesa could not be reached',
  receiver_not_registered: 'The receiver is not registered with M-Pesa',
  reference_taken: 'The reference was used before',
  refunded: 'Refunded to the customer',
  rejected_by_holder: 'Rejected by the second person',
  request_lost: 'The batch’s request was lost before it was recorded',
  subscriber_busy: 'Another M-Pesa request was open on the phone',
  subscriber_locked: 'The customer’s M-Pesa is locked',
  wrong_pin: 'The customer entered a wrong PIN',
} as const;

export type KnownFailure = keyof typeof english;

const swahili: Readonly<Record<KnownFailure, string>> = {
  above_maximum: 'Kiasi kinazidi kikomo cha juu cha M-Pesa',
  balance_limit_exceeded: 'Salio la M-Pesa la mpokeaji lingezidi kikomo',
  below_minimum: 'Kiasi kiko chini ya kikomo cha chini cha M-Pesa',
  cancelled: 'Mteja alighairi',
  daily_limit_exceeded: 'Kikomo cha siku cha M-Pesa kimefikiwa',
  duplicate_amount: 'M-Pesa ilipitisha kiasi hicho hicho kwa namba hii punde tu',
  expired: 'Ombi liliisha muda',
  insufficient_funds: 'Pesa hazikutosha',
  invalid_party: 'M-Pesa haijui namba hii au shortcode hii',
  invalid_request: 'M-Pesa haikukubali ombi',
  no_answer: 'Mteja hakujibu ombi',
  not_paid: 'Imeamuliwa na mhudumu: haijalipwa',
  not_sent: 'PesaPost haikutuma chochote kwa M-Pesa',
  push_error: 'M-Pesa haikuweza kuonyesha ombi',
  rail_account_inactive: 'Akaunti yetu ya M-Pesa haifanyi kazi',
  rail_busy: 'M-Pesa ilikuwa na shughuli nyingi',
  rail_congested: 'M-Pesa ilikuwa na msongamano',
  rail_declined: 'M-Pesa ilikataa',
  rail_float_insufficient: 'Akaunti yetu ya M-Pesa haikuwa na pesa za kutosha',
  rail_quota_exceeded: 'Kiwango cha M-Pesa kilikuwa kimekwisha',
  rail_refused: 'M-Pesa ilikataa ombi',
  rail_unauthorized: 'M-Pesa haikukubali utambulisho wetu',
  rail_unavailable: 'M-Pesa haikupatikana',
  receiver_not_registered: 'Mpokeaji hajasajiliwa na M-Pesa',
  reference_taken: 'Kumbukumbu hiyo ilitumika awali',
  refunded: 'Zilirudishwa kwa mteja',
  rejected_by_holder: 'Yalikataliwa na mtu wa pili',
  request_lost: 'Ombi la kundi lilipotea kabla ya kurekodiwa',
  subscriber_busy: 'Ombi lingine la M-Pesa lilikuwa wazi kwenye simu',
  subscriber_locked: 'M-Pesa ya mteja imefungwa',
  wrong_pin: 'Mteja aliweka PIN isiyo sahihi',
};

const words: Readonly<Record<Language, Readonly<Record<string, string>>>> = {
  en: english,
  sw: swahili,
};

/** Codes that have words, which developers look up in the reference. */
export const knownFailures = Object.keys(english) as readonly KnownFailure[];

/** A `failure_code` in words, with the code itself in small letters beside them. A code of a later release has no words. */
export function failureText(code: string, language: Language): Html {
  const known = Object.hasOwn(words[language], code) ? words[language][code] : undefined;
  return known === undefined
    ? html`<code>${code}</code>`
    : html`${known} <small><code>${code}</code></small>`;
}
