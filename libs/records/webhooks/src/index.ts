export {
  type AttemptOutcome,
  type DeliveryTarget,
  type ExchangeOutcome,
  type LeasedDelivery,
  type ReadyTarget,
  targetName,
  type TargetShare,
} from './deliveries.js';
export { DeliveryQueue } from './delivery-queue.js';
export {
  deliveriesStanding,
  type DeliveriesStanding,
  type FailingEndpoint,
  type FailingEndpoints,
  failingEndpoints,
  unattemptedSeconds,
  type WaitingDeliveries,
  waitingDeliveries,
} from './delivery-standing.js';
export { listFailureContacts, setFailureContact } from './failure-contacts.js';
export { expireDeliveries } from './expire-deliveries.js';
export {
  countFailedDeliveries,
  countFailingDeliveries,
  type Delivery,
  type DeliveryAttempt,
  type EndpointHealth,
  type FailedWanted,
  listFailedDeliveries,
  listOwedDeliveries,
  listWebhookDeliveries,
  listWebhookDeliveriesOf,
  listWebhookHealth,
  listWebhookRequests,
  noteWebhookSample,
  type OwedDelivery,
  readWebhookDeliveries,
  resendWebhook,
  type WebhookAskedBy,
  type WebhookRequest,
} from './webhook-log.js';
export {
  EndpointSecrets,
  RecordedWebhookSecrets,
  sealedWebhookSecrets,
} from './webhook-secrets.js';
export { listWebhookHours, type WebhookHour } from './webhook-hours.js';
