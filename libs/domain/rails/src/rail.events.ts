import { type StoredEvent } from '#domain/event-sourcing';
import { type Instant, type Minor } from '#domain/kernel';

/** The source of a report. */
export type ReportSource = 'callback' | 'query' | 'operator';

export type RailConfirmed = StoredEvent<
  'RailConfirmed',
  {
    by: ReportSource;
    resultCode: string;
    receipt?: string;
    amountMinor?: Minor;
    paidAt?: Instant;
  }
>;

export type RailDeclined = StoredEvent<'RailDeclined', { by: ReportSource; failureCode: string }>;

export type RailReceiptRecorded = StoredEvent<
  'RailReceiptRecorded',
  { receipt: string; amountMinor: Minor; paidAt?: Instant }
>;
