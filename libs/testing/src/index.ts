export { CopiedLog, type CopiedRecord, decodedRecord } from './copied-log.js';
export {
  emptyDatabase,
  patientPool,
  throwAwayDatabase,
  type ThrowAwayDatabase,
} from './database.js';
export { handledBy, handlersOfDispatched, messagesOf } from './dispatched.js';
export { MessagesInMemory, sealedMessage } from './sealed-message.js';
export { ProposalsInMemory } from './proposals-in-memory.js';
export { answerToHeldBackBody } from './held-back-body.js';
export { foreignMarkup, hostile } from './hostile-texts.js';
export { oldLabels, oldPhrases, pathsOf, textsIn, tooLong } from './old-words.js';
export { redisNamespace } from './redis.js';
export { rsaKeys, withKeyFile } from './rsa-keys.js';
export { type RequestToSign, signedHeaders, type Signer } from './signed-request.js';
export { assertConforms, type Exchange } from './service/conformance.js';
export { generalAvailability, inheritedEnvironment } from './service/inherited-environment.js';
export { eventually } from './service/eventually.js';
export {
  type Answer,
  MerchantClient,
  type MerchantCredentials,
} from './service/merchant-client.js';
export { type Service, startService } from './service/service.js';
export { HandMadeLog } from './events.js';
export { type AtCall, MemoryLog, ReachedLog, suspendedOnce } from './memory-log.js';
export { collectionIntent, givenFor, stateOf } from './given-when-then.js';
export {
  type OwnServers,
  type ServerName,
  startOwnPostgres,
  startOwnServers,
} from './service/own-servers.js';
export { type Agreement, agreementOf } from './service/agreement.js';
export { openStore } from './open-store.js';
export { rowsOfSteps, rowsRead } from './rows-read.js';
export { readEverySample } from './sample-log.js';
export { type CommandOutcome, startCommandLine } from './service/command-process.js';
export { issueCredential, onboardMerchant, pesapost, typed } from './service/operator.js';
export { signedInAs } from './service/signed-in.js';
export { type Child, spawnChild, type Spawned, startChild } from './service/child.js';
export { liveAndRebuilt, type RebuiltTable } from './service/rebuilt.js';
export { freePort } from './service/free-port.js';
export { FaultyLink } from './service/faulty-link.js';
export { secondHolder } from './service/second-holder.js';
export { anyHistory, correct, happen } from './views/any-history.js';
export { FollowedLog, undisputedLease } from './views/followed-log.js';
export { LogWithFaults } from './views/log-with-faults.js';
export { History, ReadOnlyLog, threeCollections, useHistory } from './views/history.js';
export { type PayoutStep } from './views/payout-steps.js';
export {
  accept,
  decline,
  intend,
  merchantId,
  of,
  onboarded,
  paidAt,
  pay,
  payByQuery,
  receipt,
  release,
  suspend,
  register,
} from './views/steps.js';
