export { bearerSeal } from './daraja/bearer-seal.js';
export { type MakeTokenSource, type TokenSource } from './daraja/access-token.js';
export {
  CallbackReceiver,
  type IncomingCallback,
  type Reception,
} from './callback/callback-receiver.js';
export { RailAddresses } from './callback/rail-addresses.js';
export { DarajaRail } from './daraja-rail.js';
export { InboxStep } from './inbox/inbox-step.js';
export { OpenedCallbacks } from './inbox/opened-callbacks.js';
export { UnopenedStep } from './inbox/unopened-step.js';
export { RailCallbacksModule } from './rail-callbacks.module.js';
export { RailWorkModule } from './rail-work.module.js';
