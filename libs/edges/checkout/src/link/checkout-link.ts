import { type RailAmount } from '#domain/collections';
import { type Account } from '#domain/merchants';
import { type LinkKey } from '#views/merchants';
import { type V3Values } from './v3-link.js';
import { type V4Values } from './v4-link.js';

interface Verified {
  /** Of the credential that made the link. */
  readonly key: LinkKey;
  readonly merchantName: string;
  readonly account: Account;
  readonly amountMinor: RailAmount;
  readonly reference: string;
  /** As the customer would write it, `0712345678`; empty where the link has none. */
  readonly phone: string;
  /** On the merchant's list; absent where the customer is not to be sent back. */
  readonly returnUrl?: URL;
  /** The query, as sent: whoever has it has the link. */
  readonly rawQuery: string;
  /** The hash that verified: tells links apart. */
  readonly hash: string;
}

export interface V3Link extends Verified {
  readonly version: 'v3';
  readonly values: V3Values;
}

export interface V4Link extends Verified {
  readonly version: 'v4';
  readonly values: V4Values;
  /** From then on it starts nothing; what it started can still be seen. */
  readonly endsAtMs: number;
}

/** A link whose hash verified and whose terms hold: what the page shows and may ask the phone for. */
export type CheckoutLink = V3Link | V4Link;
