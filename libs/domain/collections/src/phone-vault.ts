/** What history may know of a phone number: a keyed digest (same number, same value) and a masked form. */
export interface PhoneTraces {
  readonly phoneHmac: string;
  readonly phoneMasked: string;
}

/** Turns a phone number into its traces; holds the key that is made once and never rotated. */
export abstract class PhoneVault {
  abstract tracesOf(phone: string): PhoneTraces;
}
