import { Described } from '#shared/openapi';
import { transactionStatuses, transactionTypes } from '#views/transactions';
import { IsIn, IsOptional } from 'class-validator';
import { errors } from '../errors.js';
import { IsCalendarDate, IsCursor, IsNotBefore, IsPageSize } from './list-rules.js';

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
  };

  @Described('Only these; both kinds where it is left out.', 'collection')
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

  @Described('Last day, inclusive; not before `from`.', '2026-01-31')
  @IsOptional()
  @IsCalendarDate()
  @IsNotBefore('from')
  to?: string;

  @Described('Items of a page.', 25)
  @IsOptional()
  @IsPageSize()
  limit?: string;

  @Described(
    'An earlier answer’s `next_cursor`, as it is. Valid for ever and with any filters.',
    'AQAAAAAAAAPotcYI_A',
  )
  @IsOptional()
  @IsCursor()
  cursor?: string;

  /** Ours; after the interface's own parameters. */
  @Described(
    'The day that `from` and `to` measure. Default: created_at. `completed_at`: when it was posted here. `paid_at`: the rail’s own time, as on its statement; where the rail has not told it (`paid_at_known: false`), the day of the posting stands in, so that a day omits no money.',
    'created_at',
  )
  @IsOptional()
  @IsIn(dateFields, { message: `date_field must be one of ${dateFields.join(', ')}.` })
  date_field?: (typeof dateFields)[number];
}
