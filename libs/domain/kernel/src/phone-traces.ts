/** The traces of a phone number that events may hold: a keyed digest (same number, same value) and a masked form. */
export interface PhoneTraces {
  readonly phoneHmac: string;
  readonly phoneMasked: string;
}
