export { ApiV4Module, v4Controllers } from './api-v4.module.js';
export { ApiV4Options } from './api-v4.options.js';
export { errors, errorTerms, type Refusal } from './errors.js';
export { webhookEvent, webhookEventExample } from './events/events.controller.js';
export { batchBodyLimitBytes } from './payouts/payout-batch.dto.js';
export { orderOfChecks } from './reference/order-of-checks.js';
export { requestLimits, demandsOfRoute } from './reference/request-limits.js';
