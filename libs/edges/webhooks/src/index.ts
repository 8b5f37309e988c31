export { type Exchanged, type ExchangeOutcome } from './sending/exchange.js';
export { isPublicAddress } from './sending/public-addresses.js';
export { type SenderOptions, type WebhookRequest, WebhookSender } from './sending/sender.js';
export { deliveredWithinMs, nextAttemptInMs } from './schedule.js';
export { v3BodyOf } from './v3-body.js';
