export { type MakeTokenSource, type TokenSource } from './daraja/access-token.js';
export { RailAddresses } from './callback/rail-addresses.js';
export { DarajaRail } from './daraja-rail.js';
export { InboxStep } from './inbox/inbox-step.js';
export { QueryStep } from './query/query-step.js';
export { RailCallbacksModule } from './rail-callbacks.module.js';
export { RailWorkModule } from './rail-work.module.js';
export { RailWorkOptions } from './rail-work-options.js';
