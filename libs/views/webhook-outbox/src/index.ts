export {
  bodyAround,
  hasWords,
  numbered,
  outcomeFrom,
  tellsOutcome,
  type WebhookType,
  webhookTypes,
} from './outcomes.js';
export { Outcomes, owedForDays, projectWebhookEndpoints, webhooksChannel } from './project.js';
export {
  type FeedPage,
  findWebhookEvent,
  findWebhookEndpoint,
  listWebhookEndpoints,
  listWebhookEvents,
  type WebhookEndpoint,
  type WebhookEvent,
  type WebhookFeed,
} from './query.js';
