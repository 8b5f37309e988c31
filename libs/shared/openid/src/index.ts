export { acceptedAlgorithms } from './accepted-algorithms.js';
export { isRenewalRefusal } from './renewal-refusal.js';
export { type RefusedAnswer, refusedAnswer, signatureAlgorithms } from './refused-answer.js';
