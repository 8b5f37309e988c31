export {
  bodyAround,
  supportsType,
  numbered,
  outcomeFrom,
  isOutcome,
  type WebhookType,
  webhookTypes,
} from './outcomes.js';
export { oweQuarantined } from './owe-quarantined.js';
export {
  callbackHostOf,
  type FilledWebhooks,
  Outcomes,
  owedForDays,
  projectWebhookEndpoints,
  webhookEndpointKeys,
  webhookKey,
  webhooksChannel,
} from './project.js';
export {
  type EventItem,
  type FeedPage,
  findWebhookEvent,
  findWebhookEndpoint,
  listWebhookEndpoints,
  listWebhookEvents,
  listWebhookItems,
  type WebhookEndpoint,
  type WebhookEvent,
  type WebhookFeed,
} from './query.js';
