export { type Attempted, Attempts } from './attempts.js';
export { hostOf } from './deliveries.js';
export { DeliveryStep } from './delivery-step.js';
export { SampleWebhooks, type SampleRefusal, type SentSample } from './samples.js';
export { WebhookSender } from './sending/sender.js';
export { deliveredWithinMs } from './schedule.js';
export { WebhookOptions } from './webhook-options.js';
export { WebhooksModule } from './webhooks.module.js';
