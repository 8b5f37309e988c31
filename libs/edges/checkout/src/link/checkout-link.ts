import { type RailAmount } from '#domain/rails';
import { type Account } from '#domain/merchants';
import { type LinkKey } from '#views/merchants';
import { type V3Values } from './v3-link.js';
import { type V4Values } from './v4-link.js';

interface Verified {
  /** The key of the credential that made the link. */
  readonly key: LinkKey;
  readonly merchantName: string;
  readonly account: Account;
  readonly amountMinor: RailAmount;
  readonly reference: string;
  /** The number as the customer would write it, `0712345678`; empty if the link has none. */
  readonly phone: string;
  /** An address on the merchant's list; absent if the customer is not sent back. */
  readonly returnUrl?: URL;
  /** The query as sent. Anyone who has it has the link. */
  readonly rawQuery: string;
  /** The hash that verified. It identifies the link. */
  readonly hash: string;
}

export interface V3Link extends Verified {
  readonly version: 'v3';
  readonly values: V3Values;
}

export interface V4Link extends Verified {
  readonly version: 'v4';
  readonly values: V4Values;
  /** From then on the link starts nothing, but the page still shows what it started. */
  readonly endsAtMs: number;
}

/** A link whose hash verified and whose terms are valid. The page shows it, and may ask the phone for its amount. */
export type CheckoutLink = V3Link | V4Link;
