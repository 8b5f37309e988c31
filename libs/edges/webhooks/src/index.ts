export { type Attempted, Attempts } from './attempts.js';
export { hostOf } from './deliveries.js';
export { DeliveryStep } from './delivery-step.js';
export { isPublicAddress } from './sending/public-addresses.js';
export { WebhookSender } from './sending/sender.js';
export { deliveredWithinMs } from './schedule.js';
export { WebhookOptions } from './webhook-options.js';
export { WebhooksModule } from './webhooks.module.js';
