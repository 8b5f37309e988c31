export { CallbackKeys } from './callback/callback-keys.js';
export { RailAddresses } from './callback/rail-addresses.js';
export { CollectionBus } from './collection-bus.js';
export {
  type MakeTokenSource,
  RailCredentialsRefused,
  type TokenSource,
} from './daraja/access-token.js';
export { DarajaRail, type DarajaRailOptions } from './daraja-rail.js';
export { RailReferences } from './inbox/checkout-claims.js';
export { DoubtfulCallbacks } from './inbox/doubtful-callbacks.js';
export { InboxStep } from './inbox/inbox-step.js';
export { QueryStep, type QueryStepOptions } from './query/query-step.js';
export { RailCallbacksModule } from './rail-callbacks.module.js';
