export {
  canonicalQuery,
  type DigestedRequest,
  minKeyBits,
  minV3KeyBits,
  parsePublicKey,
  parseQuery,
  type PublicKey,
  type QueryParameter,
  type SignedRequest,
  signV4,
  stringToSign,
  stringToSignOf,
  verifyV4,
} from './request-signature.js';
export { readToken, sealToken, type TokenReading } from './callback-token.js';
export { checkoutHashV3, checkoutHashV4, checkoutResultHashV4 } from './checkout-hash.js';
export { constantTimeEqual, sha256, sha256Hex, hashSecret, newSecret } from './digest.js';
export {
  type EvidenceMembers,
  messageLabel,
  newOwnKey,
  openEvidence,
  openMessage,
  type OwnKey,
  readEvidence,
  sealEvidence,
  sealMessage,
  type SealedEvidence,
  signatureStanding,
  type SignatureStanding,
} from './evidence.js';
export {
  type DataKeySet,
  Keyring,
  type MasterKey,
  type Sealed,
  UnopenableCiphertext,
} from './keyring.js';
export {
  openRailMessage,
  railMessageLabel,
  type SealedRailMessage,
  sealRailMessage,
} from './rail-message.js';
export { hashPassword, isPassword } from './password.js';
export { maskPhone, parsePhone, phoneHmac } from './phone.js';
export { SubscriberSeal } from './subscriber-seal.js';
export { v3WebhookHeaders, webhookHeaders, type WebhookToSign } from './webhook-signature.js';
export { fingerprintOf, parseSealKey, type SealKey, signHead, verifyHead } from './ed25519.js';
