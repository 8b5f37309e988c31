import { ruleWithSchema } from '#shared/openapi';
import { type ValidationArguments } from 'class-validator';
import { decodeCursor } from './cursor.js';

const form = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/;

/** `YYYY-MM-DD`, a day that the calendar has. */
export function IsCalendarDate(): PropertyDecorator {
  return ruleWithSchema(
    'isCalendarDate',
    { type: 'string', format: 'date' },
    {
      validate: isCalendarDate,
      defaultMessage: (arguments_) => `${field(arguments_)} must be a date, YYYY-MM-DD.`,
    },
  );
}

/** Not before the day in another field, where both are days. */
export function IsNotBefore(other: string): PropertyDecorator {
  return ruleWithSchema(
    'isNotBefore',
    {},
    {
      validate: (value: unknown, arguments_) => {
        const start: unknown = arguments_ && Reflect.get(arguments_.object, other);
        // Dates of this form are ordered as text.
        return !isCalendarDate(value) || !isCalendarDate(start) || start <= value;
      },
      defaultMessage: (arguments_) => `${field(arguments_)} must not be before ${other}.`,
    },
  );
}

/** What an earlier answer gave as `next_cursor`. This error has no detail (ERR-2). */
export function IsCursor(): PropertyDecorator {
  return ruleWithSchema(
    'isCursor',
    { type: 'string', pattern: '^[A-Za-z0-9_-]+$' },
    {
      validate: (value: unknown) => typeof value === 'string' && decodeCursor(value) !== undefined,
      defaultMessage: () => '',
    },
  );
}

/** How many items a page has. */
export const pageSize = { least: 1, max: 100, usual: 25 } as const;

/** An integer within the limits of a page, spelled without sign, leading zeros or spaces. */
export function IsPageSize(): PropertyDecorator {
  const { least, max, usual } = pageSize;
  return ruleWithSchema(
    'isPageSize',
    { type: 'integer', minimum: least, maximum: max, default: usual },
    {
      validate: (value: unknown) =>
        typeof value === 'string' &&
        /^[1-9][0-9]{0,8}$/.test(value) &&
        Number(value) >= least &&
        Number(value) <= max,
      defaultMessage: (arguments_) =>
        `${field(arguments_)} must be an integer from ${least} to ${max}.`,
    },
  );
}

/** Year 0 has no place in the proleptic calendar that the database uses. */
function isCalendarDate(value: unknown): value is string {
  if (typeof value !== 'string' || !form.test(value) || value.startsWith('0000')) return false;
  const date = new Date(`${value}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(value);
}

function field(arguments_: ValidationArguments | undefined): string {
  return arguments_?.property ?? '';
}
