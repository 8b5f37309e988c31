import { referencePattern } from '#domain/collections';
import { DependencyUnavailable } from '#domain/kernel';
import { MerchantDirectory } from '#domain/merchants';
import { PayoutRail } from '#domain/payouts';
import { Described, MayBeAbsent } from '#shared/openapi';
import { Injectable } from '@nestjs/common';
import { Allow } from 'class-validator';
import { type Caller } from '../authentication/caller.js';
import {
  accountOf,
  CollectionTerms,
  IsAccountsCurrency,
  IsCallersAccount,
  IsCarriedAmount,
  IsChannel,
  IsPhone,
  IsReference,
  railTerms,
} from '../collections/create-collection.dto.js';
import { errors } from '../errors.js';
import { type TermsSource } from '../validation/validated.js';
import { IsPositiveInteger } from '../validation/whole-number.js';

/** The form of a payout's reference, which is the same as a collection's. */
export const payoutReferencePattern = referencePattern;

/** Documents the path's parameter in the reference docs, for a payout and a batch. */
export function referenceInPath(example: string) {
  return {
    reference: {
      description: 'Percent-encode characters that a path segment cannot contain, such as `/`.',
      example,
      schema: { type: 'string', pattern: payoutReferencePattern.source },
    },
  } as const;
}

/** The reasons why an approval or a rejection of a payout or a batch is refused. */
export const decisionRefusals = [
  errors.not_found,
  errors.same_holder,
  errors.destination_not_allowed,
  errors.limit_exceeded,
  errors.not_pending_approval,
  errors.idempotency_in_progress,
  errors.idempotency_key_reused,
];

/** The reasons why a cancellation of a payout or a batch is refused. */
export const cancelRefusals = [
  errors.not_found,
  errors.not_cancellable,
  errors.idempotency_in_progress,
  errors.idempotency_key_reused,
];

/** The body of POST /api/v4/payouts (PAY-1). */
export class RequestPayoutDto {
  static readonly errors = {
    account_no: errors.invalid_account,
    phone: errors.invalid_phone,
    amount_minor: errors.invalid_amount,
    currency: errors.invalid_currency,
    channel: errors.invalid_channel,
    reference: errors.invalid_reference,
  };

  @Described('Your account that pays, in the mode of the credential.', '10000001')
  @IsCallersAccount()
  account_no!: string;

  @Described('The customer’s phone number in international form, digits only.', '254712345678')
  @IsPhone()
  phone!: string;

  @Described(
    'The amount that the customer receives, in minor units: KES 250.00 is 25000. At least the rail’s minimum (10.00 KES for M-Pesa), at most its maximum, and a multiple of its step. The fee comes on top.',
    25_000,
  )
  @IsCarriedAmount()
  amount_minor!: number;

  @Described(
    'The account’s currency as an ISO 4217 code. The rail must support it (mpesa: KES).',
    'KES',
  )
  @IsAccountsCurrency()
  currency!: string;

  @Described(
    'The rail: `mpesa`, or another one that is enabled for the account and pays out.',
    'mpesa',
  )
  @IsChannel()
  channel!: string;

  @Described('Your reference, unique among your payouts of the mode, for ever.', 'PAY-1001')
  @IsReference()
  reference!: string;

  /** Not on the wire. */
  terms!: CollectionTerms;
}

/** The body of a cancellation: `{}` (PAY-45). */
export class CancelDto {
  static readonly errors = {};

  /** Not on the wire. It is here because a shape without any rule is refused as unknown. */
  @Allow()
  terms?: never;
}

/** Looks up the values that a payout's fields are checked against: the account, and the rail's limits for payouts. */
@Injectable()
export class PayoutTermsSource implements TermsSource<CollectionTerms> {
  constructor(
    private readonly directory: MerchantDirectory,
    private readonly rail: PayoutRail,
  ) {}

  /** @throws DependencyUnavailable if the directory cannot answer, or no rail pays out in the mode */
  async termsFor(
    { credential: { merchantId, mode } }: Caller,
    members: Readonly<Record<string, unknown>>,
  ): Promise<CollectionTerms> {
    const channels = this.rail.channels(mode);
    const terms = railTerms(channels, members, (channel) => this.rail.payoutLimits(channel, mode));
    if (!terms) throw new DependencyUnavailable('rail', 'none pays out in this mode');
    const account = await accountOf(this.directory, { merchantId, mode }, members);
    return new CollectionTerms(account, terms, members);
  }
}

/** The body of an approval or a rejection. The values that it repeats must be the payout's (PAY-7). */
export class DecidePayoutDto {
  static readonly errors = { phone: errors.invalid_phone, amount_minor: errors.invalid_amount };

  @Described(
    'The payout’s phone number, as a check that it is the intended payout.',
    '254712345678',
  )
  @MayBeAbsent()
  @IsPhone()
  phone?: string;

  @Described(
    'The payout’s amount in minor units, as a check that it is the intended payout.',
    25_000,
  )
  @MayBeAbsent()
  @IsPositiveInteger('amount_minor')
  amount_minor?: number;
}
