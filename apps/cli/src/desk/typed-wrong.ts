import { type TypedWrong } from '#desk/operators';

const ledgerAccounts =
  'wallet:<account number>, rail-clearing:mpesa, bank-settlement:mpesa, fees or suspense';

/** The rule that an operator's input broke. */
export const typedWrong = {
  words_length: 'must be 1 to 500 characters',
  words_unseen: 'must not contain control characters, or characters that change the text direction',
  words_hold_phone: 'must not contain a phone number, because events are stored for ever',
  receipt_form: 'must be 6 to 32 letters, digits and dots, as NLJ7RT61SV',
  receipt_is_phone: 'must not be a phone number, because events are stored for ever',
  amount_form: 'must be a whole number of minor units',
  amount_nothing: 'must be 1 or more',
  time_form: 'must be RFC 3339 with a zone, as 2026-11-20T10:15:00+03:00',
  leg_form: `must read <account>=<minor units>, a debit negative; accounts: ${ledgerAccounts}`,
  id_form: 'must be a UUID',
} as const satisfies Record<TypedWrong, string>;
