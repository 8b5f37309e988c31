import { expectedReferencePattern } from '#domain/collections';
import { Described } from '#shared/openapi';
import { Equals, Matches } from 'class-validator';
import { errors } from '../errors.js';
import {
  type CollectionTerms,
  IsCallersAccount,
  IsCarriedAmount,
  IsAccountsCurrency,
} from './create-collection.dto.js';

/** The body of POST /api/v4/expected-payments (C2B-13). */
export class ExpectPaymentDto {
  static readonly errors = {
    account_no: errors.invalid_account,
    amount_minor: errors.invalid_amount,
    currency: errors.invalid_currency,
    channel: errors.invalid_channel,
    reference: errors.invalid_reference,
  };

  @Described('Your receiving account, in the mode of the credential.', '10000001')
  @IsCallersAccount()
  account_no!: string;

  @Described(
    'Minor units: KES 250.00 is 25000. If the customer pays another amount, the money waits in suspense for a person.',
    25_000,
  )
  @IsCarriedAmount()
  amount_minor!: number;

  @Described('The account’s currency as an ISO 4217 code.', 'KES')
  @IsAccountsCurrency()
  currency!: string;

  @Described('The rail.', 'mpesa')
  @Equals('mpesa', { message: 'channel must be mpesa.' })
  channel!: 'mpesa';

  @Described(
    'Your reference, unique among collections per merchant and mode, for ever. The customer types it, so it is short and has no small letters.',
    'INV7',
  )
  @Matches(expectedReferencePattern, {
    message:
      'reference must begin with a capital letter and have up to 9 capital letters, digits and . / -',
  })
  reference!: string;

  /** Not on the wire. */
  terms!: CollectionTerms;
}
