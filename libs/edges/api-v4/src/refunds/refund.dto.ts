import { Described, MayBeAbsent } from '#shared/openapi';
import { IsPhone, IsReference } from '../collections/create-collection.dto.js';
import { errors } from '../errors.js';
import { IsPositiveInteger } from '../validation/whole-number.js';

/** The body of POST /api/v4/collections/{reference}/refund (REF-1). */
export class RequestRefundDto {
  static readonly errors = {
    phone: errors.invalid_phone,
    amount_minor: errors.invalid_amount,
    reference: errors.invalid_reference,
  };

  @Described(
    'The number that paid. Needed unless the rail reverses the payment, which it does only as a whole.',
    '254712345678',
  )
  @MayBeAbsent()
  @IsPhone()
  phone?: string;

  @Described(
    'The amount to give back, in minor units. Without it, everything that is left.',
    25_000,
  )
  @MayBeAbsent()
  @IsPositiveInteger('amount_minor')
  amount_minor?: number;

  @Described(
    'Your reference of the refund. It is unique among your payouts and refunds of the mode, for ever.',
    'REFUND-1001',
  )
  @IsReference()
  reference!: string;
}
