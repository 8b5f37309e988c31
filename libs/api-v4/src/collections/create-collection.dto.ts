import { type RailLimits } from '#collections';
import { type Account } from '#merchants';
import { Equals, Matches } from 'class-validator';
import { errors } from '../errors.js';
import { IsAccountsCurrency, IsCallersAccount, IsCarriedAmount } from './collection-rules.js';

export const referencePattern = /^[A-Za-z0-9][A-Za-z0-9._:/-]{0,63}$/;

/** What the fields are measured against: the account that the body names, and what the rail carries. */
export interface CollectionTerms {
  /** Undefined where the caller has no such account in the credential's mode. */
  readonly account: Account | undefined;
  readonly limits: RailLimits;
}

/** The body of POST /api/v4/collections (contract/interface.md, Resources; decisions.md §3). */
export class CreateCollectionDto {
  static readonly errors = {
    account_no: errors.invalid_account,
    phone: errors.invalid_phone,
    amount_minor: errors.invalid_amount,
    currency: errors.invalid_currency,
    channel: errors.invalid_channel,
    reference: errors.invalid_reference,
  };

  @IsCallersAccount()
  account_no!: string;

  @Matches(/^254[17][0-9]{8}$/, {
    message: 'phone must be 254, then 7 or 1 and eight digits, such as 254712345678.',
  })
  phone!: string;

  @IsCarriedAmount()
  amount_minor!: number;

  @IsAccountsCurrency()
  currency!: string;

  @Equals('mpesa', { message: 'channel must be mpesa.' })
  channel!: 'mpesa';

  @Matches(referencePattern, {
    message:
      'reference must begin with a letter or digit and have up to 64 letters, digits and . _ : / -',
  })
  reference!: string;

  /** Not on the wire. */
  terms!: CollectionTerms;
}
