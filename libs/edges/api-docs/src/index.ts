export { ApiDocsModule, ApiDocsOptions } from './docs.controller.js';
export { apiDocument, goldenDocument } from './document/api-document.js';
export { clientsDocument } from './document/clients-document.js';
export { type OpenApiDocument } from './document/open-api.js';
export {
  payoutTestNumbers,
  refundTestNumbers,
  type TestNumber,
  testNumbers,
} from './document/test-numbers.js';
export { sampleFile } from './reference/client-samples.js';
export { type CallSamples, callSamples } from './reference/samples.js';
export { clientLanguages } from './site/languages.js';
