import { type RailLimits, railCarries } from '#domain/collections';
import { type Account, accountNoPattern } from '#domain/merchants';
import { type JsonSchema, ruleWithSchema } from '#shared/openapi';
import { type ValidationArguments } from 'class-validator';

/** What a rule can see of the body that it stands in. */
interface Measured {
  readonly terms: { readonly account: Account | undefined; readonly limits: RailLimits };
}

/** An account that the caller has in the credential's mode. */
export function IsCallersAccount(): PropertyDecorator {
  return rule('isCallersAccount', {
    schema: { type: 'string', pattern: accountNoPattern.source },
    holds: (_value, { account }) => account !== undefined,
    message: () => 'account_no must be an account of yours in the mode of this credential.',
  });
}

/** A JSON integer within the rail's limits; never rounded. */
export function IsCarriedAmount(): PropertyDecorator {
  return rule('isCarriedAmount', {
    schema: { type: 'integer', minimum: 1 },
    holds: (value, { limits }) =>
      typeof value === 'number' &&
      Number.isSafeInteger(value) &&
      railCarries(limits, BigInt(value)),
    message: ({ limits: { maxMinor, stepMinor } }) =>
      `amount_minor must be an integer from ${stepMinor} to ${maxMinor}` +
      (stepMinor === 1n ? '.' : `, a multiple of ${stepMinor}.`),
  });
}

/** The account's one currency, where the rail carries it. */
export function IsAccountsCurrency(): PropertyDecorator {
  return rule('isAccountsCurrency', {
    schema: { type: 'string', pattern: '^[A-Z]{3}$' },
    holds: (value, { account, limits }) =>
      typeof value === 'string' && value === account?.currency && limits.currencies.includes(value),
    message: ({ account }) => `currency must be the account’s, ${account?.currency ?? 'KES'}.`,
  });
}

function rule(
  name: string,
  {
    schema,
    holds,
    message,
  }: {
    /** What can be said without knowing the caller. */
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
