import { type MerchantMode, type WebhookKind } from '#domain/merchants';
import { type Queryable } from '#infra/postgres';

/** Attempts at an endpoint in an hour. An hour without attempts has no row. */
export interface WebhookHour {
  readonly kind: WebhookKind;
  /** The hour's beginning. */
  readonly hour: Date;
  readonly delivered: number;
  readonly failed: number;
}

const hoursOf = {
  name: 'webhook-hours',
  text: `
  select kind, hour, delivered, failed from records.webhook_hours
    where merchant_id = $1 and mode = $2 and hour >= $3 order by hour`,
};

/** The hours of a merchant's endpoints in a mode, the oldest first. @throws DependencyUnavailable */
export function listWebhookHours(
  database: Queryable,
  { merchantId, mode }: MerchantMode,
  since: Date,
): Promise<readonly WebhookHour[]> {
  return database.query<WebhookHour>(hoursOf, [merchantId, mode, since]);
}
