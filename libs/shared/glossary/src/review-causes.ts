import { type Term } from './term.js';

/** The cause of a review, for the operators who decide it. */
export const reviewCauses = {
  no_word_from_rail: {
    en: 'The rail has reported no result. Check if it was paid.',
    sw: 'M-Pesa haijatoa matokeo. Angalia kama ililipwa.',
  },
  amount_mismatch: {
    en: 'Different amount received. It is held in suspense.',
    sw: 'Kiasi tofauti kilipokelewa. Kimeshikiliwa.',
  },
  second_receipt: {
    en: 'The rail sent a second receipt. Check if it was paid twice.',
    sw: 'M-Pesa ilitoa risiti ya pili. Angalia kama ililipwa mara mbili.',
  },
  receipt_amount_differs: {
    en: 'The receipt has a different amount from the one posted, held or returned.',
    sw: 'Kiasi cha risiti si sawa na kilichoandikwa, kilichoshikiliwa au kilichorudishwa.',
  },
  other_checkout: {
    en: 'A callback named another checkout ID, and the rail says it was paid. Find its item.',
    sw: 'Ujumbe ulitaja kitambulisho kingine, na M-Pesa inasema kililipwa. Tafuta ni cha malipo gani.',
  },
  checkout_of_another: {
    en: 'Two collections have the same checkout ID. Find out which one was paid.',
    sw: 'Makusanyo mawili yana kitambulisho kimoja. Tafuta ni yapi yaliyolipwa.',
  },
  amount_unreadable: {
    en: 'Posted after a query. The callback’s amount cannot be read.',
    sw: 'Iliandikwa baada ya kuuliza. Kiasi cha ujumbe hakisomeki.',
  },
  duplicate_receipt: {
    en: 'Another item has the same receipt. A payment is posted only once.',
    sw: 'Malipo mengine yana risiti hii hii. Malipo huandikwa mara moja tu.',
  },
  paid_after_decline: {
    en: 'The rail paid after it declined. The wallet may be overdrawn.',
    sw: 'M-Pesa ililipa baada ya kukataa. Huenda pochi iko chini ya sifuri.',
  },
  declined_after_payment: {
    en: 'The payment is posted, but the rail now reports a decline. Check if it was paid.',
    sw: 'Malipo yameandikwa, lakini sasa M-Pesa inasema yalikataliwa. Angalia kama yalilipwa.',
  },
  payout_amount_differs: {
    en: 'The rail reports a different amount for this payout. Check its statement.',
    sw: 'M-Pesa inataja kiasi tofauti cha malipo haya. Kagua taarifa yake.',
  },
  payout_amount_unreadable: {
    en: 'The rail paid this payout, but its amount cannot be read. Check its statement.',
    sw: 'M-Pesa ililipa malipo haya, lakini kiasi hakisomeki. Kagua taarifa yake.',
  },
  float_missing: {
    en: 'The rail’s own account has been too low for too long. Top it up.',
    sw: 'Akaunti yetu ya M-Pesa imepungukiwa kwa muda mrefu. Iongezee pesa.',
  },
  phone_missing: {
    en: 'The payout’s phone number is no longer stored, so it cannot be sent.',
    sw: 'Nambari ya simu haijahifadhiwa tena, hivyo malipo hayawezi kutumwa.',
  },
  given_before: {
    en: 'The rail received this payout before, but the log lost it. Check if it was paid.',
    sw: 'M-Pesa ilipokea malipo haya awali, lakini historia iliyapoteza. Angalia kama yalilipwa.',
  },
  paid_unsent: {
    en: 'The rail reports this payout as paid, but the log never sent it. Check the receipt.',
    sw: 'M-Pesa inasema malipo haya yalilipwa, lakini historia haikuyatuma. Kagua risiti.',
  },
  found_at_rail: {
    en: 'The rail’s list has this payment, but no query confirms it.',
    sw: 'Orodha ya M-Pesa ina malipo haya, lakini hakuna swali lililoyathibitisha.',
  },
  account_not_named: {
    en: 'The customer paid without a push and named no account of ours. Find out who it is for.',
    sw: 'Mteja alilipa bila kuombwa na hakutaja akaunti yetu. Tafuta malipo ni ya nani.',
  },
  opened_by_operator: {
    en: 'An operator found it on the rail’s statement.',
    sw: 'Mwendeshaji aliyaona kwenye taarifa ya M-Pesa.',
  },
} as const satisfies Readonly<Record<string, Term>>;
