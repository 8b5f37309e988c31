import { anyPhoneIn } from '#domain/collections';
import { type PayoutBatchDetails } from '#domain/payouts';
import { Described, MayBeAbsent, ruleWithSchema, schemaOfDto } from '#shared/openapi';
import { Injectable } from '@nestjs/common';
import {
  CollectionTerms,
  IsAccountsCurrency,
  IsCallersAccount,
  IsCarriedAmount,
  IsChannel,
  IsPhone,
  IsReference,
} from '../collections/create-collection.dto.js';
import { errors, problem } from '../errors.js';
import { quoted, validate } from '../validation/validated.js';
import { IsPositiveInteger } from '../validation/whole-number.js';
import { PayoutTermsSource } from './payout.dto.js';

/** The most payouts in a batch, and the largest body of a request for one. */
export const maxBatchItems = 1000;
export const batchBodyLimitBytes = 512 * 1024;

/** One payout of a batch. It is checked against the batch's terms. */
export class PayoutBatchItemDto {
  static readonly errors = {
    reference: errors.invalid_reference,
    phone: errors.invalid_phone,
    amount_minor: errors.invalid_amount,
  };

  @Described('The payout’s reference, unique per merchant and mode, for ever.', 'salary-7')
  @IsReference()
  reference!: string;

  @Described('The customer’s phone number in international form, digits only.', '254712345678')
  @IsPhone()
  phone!: string;

  @Described('The amount that the customer receives, in minor units.', 25_000)
  @IsCarriedAmount()
  amount_minor!: number;

  /** Not on the wire. */
  terms!: CollectionTerms;
}

/** The body of POST /api/v4/payout-batches (PAY-16). Its items are read by `itemsOf`. */
export class RequestPayoutBatchDto {
  static readonly errors = {
    reference: errors.invalid_reference,
    account_no: errors.invalid_account,
    currency: errors.invalid_currency,
    channel: errors.invalid_channel,
    items: errors.invalid_request,
  };

  @Described('The batch’s reference, unique per merchant and mode, for ever.', 'salaries-2026-11')
  @IsReference()
  reference!: string;

  @Described('The account that pays, in the mode of the credential.', '10000001')
  @IsCallersAccount()
  account_no!: string;

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

  @Described('One payout each.', [
    { reference: 'salary-7', phone: '254712345678', amount_minor: 25_000 },
  ])
  @IsItems()
  items!: readonly unknown[];

  /** Not on the wire. */
  terms!: CollectionTerms;
}

function IsItems(): PropertyDecorator {
  const schema = {
    type: 'array',
    minItems: 1,
    maxItems: maxBatchItems,
    items: schemaOfDto(PayoutBatchItemDto),
  };
  return ruleWithSchema('isItems', schema, {
    validate: (value: unknown) =>
      Array.isArray(value) && value.length >= 1 && value.length <= maxBatchItems,
    defaultMessage: () => `items must be an array of 1 to ${maxBatchItems} payouts.`,
  });
}

/**
 * As for a payout. The batch has no amount of its own, so its currency is checked with an amount that the rail accepts.
 */
@Injectable()
export class PayoutBatchTermsSource extends PayoutTermsSource {
  override async termsFor(
    ...[caller, members]: Parameters<PayoutTermsSource['termsFor']>
  ): Promise<CollectionTerms> {
    const terms = await super.termsFor(caller, members);
    const least = { ...members, amount_minor: Number(terms.limits.stepMinor) };
    return new CollectionTerms(terms.account, terms, least);
  }
}

type Items = PayoutBatchDetails['items'];

/**
 * Reads the batch's payouts. The first invalid one answers, named by its index (PAY-16).
 * @throws Problem
 */
export function itemsOf({ items, currency, terms }: RequestPayoutBatchDto): Items {
  const places = new Map<string, number>();
  return items.map((value, index) => {
    const at = `items[${index}]`;
    const members = membersOf(value, at);
    const item = validate(
      PayoutBatchItemDto,
      members,
      { terms: new CollectionTerms(terms.account, terms, { ...members, currency }) },
      at,
    );
    const { reference, phone } = item;
    const before = places.get(reference);
    if (before !== undefined) throw badReference(index, `it is that of items[${before}], too.`);
    places.set(reference, index);
    const { amount } = item.terms;
    if (!amount.ok) throw new TypeError('a payout without its amount got past its validation');
    return { reference, phone, amountMinor: amount.value };
  });
}

function membersOf(value: unknown, at: string): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw problem('invalid_request', { detail: `${at} must be an object.` });
  const unknown = Object.keys(value).find(
    (name) => !Object.hasOwn(PayoutBatchItemDto.errors, name),
  );
  if (unknown !== undefined)
    throw problem('invalid_request', {
      detail: `${at}: ${quoted(unknown)} is not a field of this call.`,
    });
  return value as Readonly<Record<string, unknown>>;
}

/** Returns the problem for an invalid reference of the payout at this index. */
export function badReference(index: number, why: string) {
  return problem('invalid_reference', { detail: `items[${index}].reference: ${why}` });
}

/** References stay in the log for ever, so none may contain a number of the batch. @throws Problem invalid_reference */
export function requireNoPhones(reference: string, items: Items): void {
  const holds = anyPhoneIn(items.map(({ phone }) => phone));
  if (holds(reference))
    throw problem('invalid_reference', {
      detail: 'reference must not contain a customer’s phone number.',
    });
  const index = items.findIndex((item) => holds(item.reference));
  if (index >= 0) throw badReference(index, 'it must not contain a customer’s phone number.');
}

/** The body of a batch's approval or rejection. The values that it repeats must be the batch's (PAY-18). */
export class DecidePayoutBatchDto {
  static readonly errors = {
    count: errors.invalid_request,
    amount_minor: errors.invalid_amount,
  };

  @Described('The number of payouts, as a check that it is the intended batch.', 240)
  @MayBeAbsent()
  @IsPositiveInteger('count')
  count?: number;

  @Described('The sum of the amounts without fees, in minor units.', 6_000_000)
  @MayBeAbsent()
  @IsPositiveInteger('amount_minor')
  amount_minor?: number;
}
