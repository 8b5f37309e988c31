export { acceptedAlgorithms } from './accepted-algorithms.js';
export { type RefusedAnswer, refusedAnswer, signatureAlgorithms } from './refused-answer.js';
