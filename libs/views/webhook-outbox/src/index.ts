export { outcomeFrom, type WebhookType, webhookTypes } from './outcomes.js';
export { Outcomes, owedForDays, projectWebhookEndpoints, webhooksChannel } from './project.js';
export {
  type FeedPage,
  listWebhookEndpoints,
  listWebhookEvents,
  type WebhookEndpoint,
  type WebhookFeed,
} from './query.js';
