export { RecordedDeliveryQueue } from './delivery-queue.js';
export {
  type FailingEndpoint,
  failingEndpoints,
  unattemptedSeconds,
  waitingDeliveries,
} from './delivery-standing.js';
export { expireDeliveries } from './expire-deliveries.js';
export {
  listWebhookDeliveries,
  listWebhookDeliveriesOf,
  listWebhookHealth,
  listWebhookRequests,
  noteWebhookSample,
  readWebhookDeliveries,
  resendWebhook,
  type WebhookAskedBy,
  type WebhookRequest,
} from './webhook-log.js';
export {
  RecordedEndpointSecrets,
  RecordedWebhookSecrets,
  sealedWebhookSecrets,
} from './webhook-secrets.js';
