import { IsIn, IsOptional, Matches } from 'class-validator';
import { errors } from '../errors.js';
import { IsCalendarDate, IsCursor, IsNotBefore } from './list-rules.js';

const statuses = ['pending', 'completed', 'failed', 'pending_approval', 'rejected'] as const;
const dateFields = ['created_at', 'completed_at', 'paid_at'] as const;

/** The query of GET /api/v4/transactions (contract/interface.md; decisions.md §4). */
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

  @IsOptional()
  @IsIn(['collection', 'payout'], { message: 'type must be collection or payout.' })
  type?: 'collection' | 'payout';

  @IsOptional()
  @IsIn(statuses, { message: `status must be one of ${statuses.join(', ')}.` })
  status?: (typeof statuses)[number];

  @IsOptional()
  @IsCalendarDate()
  from?: string;

  @IsOptional()
  @IsCalendarDate()
  @IsNotBefore('from')
  to?: string;

  @IsOptional()
  @Matches(/^(?:[1-9][0-9]?|100)$/, { message: 'limit must be an integer from 1 to 100.' })
  limit?: string;

  @IsOptional()
  @IsCursor()
  cursor?: string;

  /** Ours; after the interface's own parameters. */
  @IsOptional()
  @IsIn(dateFields, { message: `date_field must be one of ${dateFields.join(', ')}.` })
  date_field?: (typeof dateFields)[number];
}
