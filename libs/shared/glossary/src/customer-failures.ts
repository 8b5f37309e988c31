import { type FailureCode, failures } from './failures.js';
import { type Term } from './term.js';

/** Failures in the words of the page on which the customer pays: a title, and the customer's next step. */
export const customerFailures = {
  cancelled: {
    title: { en: 'You cancelled the payment', sw: 'Umeghairi malipo' },
    text: { en: 'No money was taken.', sw: 'Hakuna pesa zilizochukuliwa.' },
  },
  insufficient_funds: {
    title: failures.insufficient_funds.reason,
    text: {
      en: 'No money was taken. Top up, or use another number.',
      sw: 'Hakuna pesa zilizochukuliwa. Ongeza salio, au tumia nambari nyingine.',
    },
  },
  wrong_pin: {
    title: failures.wrong_pin.reason,
    text: { en: 'No money was taken.', sw: 'Hakuna pesa zilizochukuliwa.' },
  },
  no_answer: {
    title: { en: 'You didn’t respond', sw: 'Hukujibu' },
    text: {
      en: 'No PIN was entered. If M-Pesa still sends you a receipt, do not pay again. Show it to the shop.',
      sw: 'PIN haikuwekwa. Ukipata risiti ya M-Pesa hata hivyo, usilipe tena. Ionyeshe duka.',
    },
  },
  expired: {
    title: failures.expired.reason,
    text: {
      en: 'No PIN was entered in time. If M-Pesa still sends you a receipt, do not pay again. Show it to the shop.',
      sw: 'PIN haikuwekwa kwa wakati. Ukipata risiti ya M-Pesa hata hivyo, usilipe tena. Ionyeshe duka.',
    },
  },
} as const satisfies Readonly<
  Partial<Record<FailureCode, { readonly title: Term; readonly text: Term }>>
>;
