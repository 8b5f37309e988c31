import { type RailLimits, referencePattern } from '#domain/collections';
import { type Account } from '#domain/merchants';
import { Described } from '#shared/openapi';
import { Equals, Matches } from 'class-validator';
import { errors } from '../errors.js';
import { IsAccountsCurrency, IsCallersAccount, IsCarriedAmount } from './collection-rules.js';

/** What the fields are measured against: the account that the body names, and what the rail carries. */
export interface CollectionTerms {
  /** Undefined where the caller has no such account in the credential's mode. */
  readonly account: Account | undefined;
  readonly limits: RailLimits;
}

/** The body of POST /api/v4/collections (COL-1 to COL-7). */
export class CreateCollectionDto {
  static readonly errors = {
    account_no: errors.invalid_account,
    phone: errors.invalid_phone,
    amount_minor: errors.invalid_amount,
    currency: errors.invalid_currency,
    channel: errors.invalid_channel,
    reference: errors.invalid_reference,
  };

  @Described('Your receiving account, in the mode of the credential.', '10000001')
  @IsCallersAccount()
  account_no!: string;

  @Described('The customer’s number, international, digits only.', '254712345678')
  @Matches(/^254[17][0-9]{8}$/, {
    message: 'phone must be 254, then 7 or 1 and eight digits, such as 254712345678.',
  })
  phone!: string;

  @Described(
    'Minor units: KES 250.00 is 25000. Up to the rail’s maximum (mpesa: 25,000,000) and a multiple of its step (100 for M-Pesa itself, 1 for the simulator). Never rounded.',
    25_000,
  )
  @IsCarriedAmount()
  amount_minor!: number;

  @Described('ISO 4217 code: the account’s own, which the rail must carry (mpesa: KES).', 'KES')
  @IsAccountsCurrency()
  currency!: string;

  @Described('The rail.', 'mpesa')
  @Equals('mpesa', { message: 'channel must be mpesa.' })
  channel!: 'mpesa';

  @Described('Yours, unique per merchant and mode, for ever.', 'INV-1001')
  @Matches(referencePattern, {
    message:
      'reference must begin with a letter or digit and have up to 64 letters, digits and . _ : / -',
  })
  reference!: string;

  /** Not on the wire. */
  terms!: CollectionTerms;
}
