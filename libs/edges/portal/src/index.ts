export { actionOf } from './access/permits.js';
export { PortalModule } from './portal.module.js';
export { type IssuerOptions, PortalOptions } from './portal-options.js';
export { RetainedMessages, type OpenedMessage, SealedDays } from './auditor/ports.js';
export {
  DeveloperPagesOptions,
  type TestOutcome,
  type TestRefusal,
  TestWebhooks,
} from './merchant/developer/ports.js';
export { MerchantPagesOptions } from './merchant/options.js';
export { PresenceRule } from './session/identity-provider.js';
