import { Rail, railAmount, type RailAmount, type RailLimits } from '#domain/rails';
import { knownChannels } from '#shared/glossary';
import { referencePattern } from '#domain/collections';
import { type Account, accountNoPattern, MerchantDirectory } from '#domain/merchants';
import { Described, type JsonSchema, ruleWithSchema } from '#shared/openapi';
import { Matches, type ValidationArguments } from 'class-validator';
import { errors } from '../errors.js';
import { Injectable } from '@nestjs/common';
import { DependencyUnavailable, type Result } from '#domain/kernel';
import { type Caller } from '../authentication/caller.js';
import { type TermsSource } from '../validation/validated.js';

/** The limits of the rail that a body names, and the rails that the mode has. */
export interface RailTerms {
  readonly limits: RailLimits;
  readonly channels: readonly string[];
}

/** The account that the body names and the rail's limits. The fields are checked against them. */
export class CollectionTerms implements RailTerms {
  readonly limits: RailLimits;
  /** The rails that the body may name: those of the account that the mode has (AIR-9). */
  readonly channels: readonly string[];
  readonly #amount: Result<RailAmount, 'invalid_amount' | 'invalid_currency'>;

  /** @param account undefined if the caller has no such account in the credential's mode */
  constructor(
    readonly account: Account | undefined,
    { limits, channels }: RailTerms,
    { amount_minor: amount, currency }: Readonly<Record<string, unknown>>,
  ) {
    this.limits = limits;
    // An account that the caller does not have is refused before its channel is.
    this.channels = channels.filter((channel) => account?.channels.includes(channel) ?? true);
    const isInteger = typeof amount === 'number' && Number.isSafeInteger(amount);
    this.#amount = railAmount(limits, isInteger ? BigInt(amount) : undefined, currency);
  }

  /** The check of the body's amount and currency against the rail's limits. */
  get amount(): Result<RailAmount, 'invalid_amount' | 'invalid_currency'> {
    return this.#amount;
  }

  /**
   * Returns the account and the amount of a body that passed its validation.
   * @throws TypeError if it did not
   */
  validated(): { readonly account: Account; readonly amountMinor: RailAmount } {
    const { account, amount } = this;
    if (!account || !amount.ok)
      throw new TypeError('a body without its terms got past its validation');
    return { account, amountMinor: amount.value };
  }
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

  @Described('The customer’s phone number in international form, digits only.', '254712345678')
  @IsPhone()
  phone!: string;

  @Described(
    'Minor units: KES 250.00 is 25000. At most the rail’s maximum (mpesa: 25,000,000) and a multiple of its step (100 for M-Pesa, 1 for the simulator). It is never rounded.',
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
    'The rail: `mpesa`, or `airtel` if PesaPost has enabled Airtel Money for the account.',
    'mpesa',
  )
  @IsChannel()
  channel!: string;

  @Described('Your reference, unique per merchant and mode, for ever.', 'INV-1001')
  @IsReference()
  reference!: string;

  /** Not on the wire. */
  terms!: CollectionTerms;
}

/** Checks a merchant's own name for its request (COL-7). */
export function IsReference(): PropertyDecorator {
  return Matches(referencePattern, {
    message:
      'reference must begin with a letter or digit and have up to 64 letters, digits and . _ : / -',
  });
}

/** Checks a customer's number (COL-3). */
export function IsPhone(): PropertyDecorator {
  return Matches(/^254[17][0-9]{8}$/, {
    message: 'phone must be 254, then 7 or 1 and eight digits, such as 254712345678.',
  });
}

/** The part of the body that a rule can read. */
interface Measured {
  readonly terms: Pick<CollectionTerms, 'account' | 'limits' | 'amount' | 'channels'>;
}

/** Checks that the caller has this account in the credential's mode. */
export function IsCallersAccount(): PropertyDecorator {
  return rule('isCallersAccount', {
    schema: { type: 'string', pattern: accountNoPattern.source },
    holds: (_value, { account }) => account !== undefined,
    message: () => 'account_no must be an account of yours in the mode of this credential.',
  });
}

/** Checks a JSON integer against the rail's limits; never rounds it. */
export function IsCarriedAmount(): PropertyDecorator {
  return rule('isCarriedAmount', {
    schema: { type: 'integer', minimum: 1 },
    holds: (_value, { amount }) => amount.ok || amount.refusal !== 'invalid_amount',
    message: ({ limits: { maxMinor, stepMinor } }) =>
      `amount_minor must be an integer from ${stepMinor} to ${maxMinor}` +
      (stepMinor === 1n ? '.' : `, a multiple of ${stepMinor}.`),
  });
}

/** Checks the account's currency, which the rail must accept. */
export function IsAccountsCurrency(): PropertyDecorator {
  return rule('isAccountsCurrency', {
    schema: { type: 'string', pattern: '^[A-Z]{3}$' },
    holds: (value, { account, amount }) => amount.ok && value === account?.currency,
    message: ({ account }) => `currency must be the account’s, ${account?.currency ?? 'KES'}.`,
  });
}

/** Checks that the account may use the rail, and that the mode has it. */
export function IsChannel(): PropertyDecorator {
  return rule('isChannel', {
    schema: { type: 'string', enum: [...knownChannels] },
    holds: (value, { channels }) => channels.some((channel) => channel === value),
    message: ({ channels }) => `channel must be ${channels.join(' or ')}.`,
  });
}

function rule(
  name: string,
  {
    schema,
    holds,
    message,
  }: {
    /** The part of the rule that does not depend on the caller. */
    readonly schema: JsonSchema;
    readonly holds: (value: unknown, terms: Measured['terms']) => boolean;
    readonly message: (terms: Measured['terms']) => string;
  },
): PropertyDecorator {
  return ruleWithSchema(name, schema, {
    validate: (value: unknown, arguments_) => holds(value, termsOf(arguments_)),
    defaultMessage: (arguments_) => message(termsOf(arguments_)),
  });
}

function termsOf(arguments_: ValidationArguments | undefined): Measured['terms'] {
  if (!arguments_) throw new TypeError('a rule is asked without its body');
  return (arguments_.object as Measured).terms;
}

/** Looks up the values that a collection's fields are checked against. */
@Injectable()
export class CollectionTermsSource implements TermsSource<CollectionTerms> {
  constructor(
    private readonly directory: MerchantDirectory,
    private readonly rail: Rail,
  ) {}

  /** @throws DependencyUnavailable if the directory cannot answer, or the mode has no rail */
  async termsFor(
    { credential: { merchantId, mode } }: Caller,
    members: Readonly<Record<string, unknown>>,
  ): Promise<CollectionTerms> {
    const channels = this.rail.channels(mode);
    const terms = railTerms(channels, members, (channel) => this.rail.limits(channel, mode));
    if (!terms) throw new DependencyUnavailable('rail', 'none is configured for this mode');
    const account = await accountOf(this.directory, { merchantId, mode }, members);
    return new CollectionTerms(account, terms, members);
  }
}

/**
 * Returns the terms of the rail that the body names. If it names none of these rails, the first one's limits apply to the
 * fields before `channel`, which is then refused.
 * @returns undefined if there is no rail
 */
export function railTerms(
  channels: readonly string[],
  { channel: named }: Readonly<Record<string, unknown>>,
  limitsOf: (channel: string) => RailLimits | undefined,
): RailTerms | undefined {
  const channel = channels.find((each) => each === named) ?? channels[0];
  const limits = channel === undefined ? undefined : limitsOf(channel);
  return limits && { limits, channels };
}

/** Returns the account that the body names, or undefined if the caller has no such account in the mode. */
export async function accountOf(
  directory: MerchantDirectory,
  { merchantId, mode }: Pick<Account, 'merchantId' | 'mode'>,
  { account_no: accountNo }: Readonly<Record<string, unknown>>,
): Promise<Account | undefined> {
  return typeof accountNo === 'string' && accountNoPattern.test(accountNo)
    ? directory.findAccount(merchantId, mode, accountNo)
    : undefined;
}
