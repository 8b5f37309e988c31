import { type Origin, origins, referencePattern } from '#domain/collections';
import { isCalendarDay } from '#domain/kernel';
import { Described, ruleWithSchema } from '#shared/openapi';
import { IsIn, IsOptional, Matches, type ValidationArguments } from 'class-validator';
import { decodeCursor, transactionStatuses, transactionTypes } from '#views/transactions';
import { errors } from '../errors.js';

/** Checks `YYYY-MM-DD`, a day that the calendar has. */
export function IsCalendarDate(): PropertyDecorator {
  return ruleWithSchema(
    'isCalendarDate',
    { type: 'string', format: 'date' },
    {
      validate: isCalendarDay,
      defaultMessage: (arguments_) => `${field(arguments_)} must be a date, YYYY-MM-DD.`,
    },
  );
}

/** Checks that the day is not before the day in another field, if both are days. */
export function IsNotBefore(other: string): PropertyDecorator {
  return ruleWithSchema(
    'isNotBefore',
    {},
    {
      validate: (value: unknown, arguments_) => {
        const start: unknown = arguments_ && Reflect.get(arguments_.object, other);
        // Dates of this form sort as text.
        return !isCalendarDay(value) || !isCalendarDay(start) || start <= value;
      },
      defaultMessage: (arguments_) => `${field(arguments_)} must not be before ${other}.`,
    },
  );
}

/** Checks a `next_cursor` from an earlier answer. This error has no detail (ERR-2). */
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

/** The number of items in a page. */
export const pageSize = { least: 1, max: 100, usual: 25 } as const;

/** Checks an integer within the limits of a page, without sign, leading zeros or spaces. */
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

function field(arguments_: ValidationArguments | undefined): string {
  return arguments_?.property ?? '';
}

const dateFields = ['created_at', 'completed_at', 'paid_at'] as const;

/** The query of GET /api/v4/transactions (LIST-5 to LIST-9). */
export class ListTransactionsDto {
  static readonly errors = {
    type: errors.invalid_type,
    status: errors.invalid_status,
    from: errors.invalid_date,
    to: errors.invalid_date,
    limit: errors.invalid_limit,
    cursor: errors.invalid_cursor,
    date_field: errors.invalid_request,
    batch: errors.invalid_reference,
    origin: errors.invalid_request,
  };

  @Described('Only items of this type. Both types if it is absent.', 'collection')
  @IsOptional()
  @IsIn(transactionTypes, { message: 'type must be collection or payout.' })
  type?: (typeof transactionTypes)[number];

  @Described('Only items of this status.', 'completed')
  @IsOptional()
  @IsIn(transactionStatuses, {
    message: `status must be one of ${transactionStatuses.join(', ')}.`,
  })
  status?: (typeof transactionStatuses)[number];

  @Described('First day, inclusive, in the merchant’s time zone.', '2026-01-01')
  @IsOptional()
  @IsCalendarDate()
  from?: string;

  @Described('Last day, inclusive. It is not before `from`.', '2026-01-31')
  @IsOptional()
  @IsCalendarDate()
  @IsNotBefore('from')
  to?: string;

  @Described('Items of a page.', 25)
  @IsOptional()
  @IsPageSize()
  limit?: string;

  @Described(
    'The `next_cursor` of an earlier answer, unchanged. It is valid for ever and with any filters.',
    'AQAAAAAAAAPotcYI_A',
  )
  @IsOptional()
  @IsCursor()
  cursor?: string;

  /** Our own parameter, after those of the interface. */
  @Described(
    'The date to which `from` and `to` apply. Default: `created_at`. `completed_at`: when it was posted here. `paid_at`: the rail’s own time, as on its statement. If the rail has not reported it (`paid_at_known: false`), the day of the posting is used, so that no money is left out.',
    'created_at',
  )
  @IsOptional()
  @IsIn(dateFields, { message: `date_field must be one of ${dateFields.join(', ')}.` })
  date_field?: (typeof dateFields)[number];

  @Described('Only the payouts of the batch with this reference.', 'salaries-2026-11')
  @IsOptional()
  @Matches(referencePattern, { message: 'batch must be a reference.' })
  batch?: string;

  @Described(
    'Only the collections that were created by this interface, or `c2b`: the customer paid without a push.',
    'c2b',
  )
  @IsOptional()
  @IsIn(origins, { message: `origin must be one of ${origins.join(', ')}.` })
  origin?: Origin;
}
