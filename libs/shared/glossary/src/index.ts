export { failureCodes, type FailureCode, failureTerm, type FailureTerm } from './failures.js';
export { modeWords, statusWords, typeWords } from './terms.js';
