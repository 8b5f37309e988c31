export { actionOf } from './access/permits.js';
export { PortalModule } from './portal.module.js';
export { type IssuerOptions, PortalOptions } from './portal-options.js';
export { RetainedMessages, type OpenedMessage, SealedDays } from './auditor/ports.js';
export { MerchantPagesOptions } from './merchant/options.js';
export {
  type AccountDay,
  CallRecords,
  type DeliveriesWanted,
  type Delivery,
  type DeliveryAttempt,
  type EndpointHealth,
  type Handled,
  HandledExceptions,
  type ListedRefusal,
  type NotedCalls,
  type SavedView,
  SavedViews,
  V3Readiness,
  WebhookLog,
  type MerchantMode,
} from './merchant/ports.js';
export {
  mostSessions,
  type PendingForm,
  type PendingFormKey,
  PendingForms,
  type OpenSession,
  PersonNames,
  PresenceRule,
  type Session,
  type SessionEnds,
  type SessionKind,
  Sessions,
} from './session/ports.js';
export { exceptionKey } from './merchant/days/days-page.js';
