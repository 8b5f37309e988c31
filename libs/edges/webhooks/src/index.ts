export { type Attempted, Attempts } from './attempts.js';
export {
  type AttemptOutcome,
  DeliveryQueue,
  EndpointSecrets,
  type EndpointShare,
  type LeasedDelivery,
  type MadeAttempt,
  type ReadyEndpoint,
  type ReadyEndpoints,
} from './delivery-queue.js';
export { hostOf } from './deliveries.js';
export { endpointName } from './endpoint-bounds.js';
export { DeliveryStep } from './delivery-step.js';
export { isPublicAddress } from './sending/public-addresses.js';
export { WebhookSender } from './sending/sender.js';
export { deliveredWithinMs } from './schedule.js';
export { WebhookOptions } from './webhook-options.js';
export { WebhooksModule } from './webhooks.module.js';
