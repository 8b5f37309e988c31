import { ruleWithSchema } from '#shared/openapi';

/** Many JSON readers use doubles for all numbers, and would round a larger number (ERR-19). */
export const largestWhole = Number.MAX_SAFE_INTEGER;

/** Checks a JSON integer of 1 or more that every JSON reader keeps exact. */
export function IsPositiveInteger(field: string): PropertyDecorator {
  const schema = { type: 'integer', minimum: 1, maximum: largestWhole } as const;
  return ruleWithSchema('isPositiveInteger', schema, {
    validate: (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 1,
    defaultMessage: () => `${field} must be an integer from 1 to ${largestWhole}.`,
  });
}
