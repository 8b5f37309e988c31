export { ApiDocsModule } from './api-docs.module.js';
export { ApiDocsOptions } from './api-docs.options.js';
export { apiDocument } from './document/api-document.js';
export { goldenDocument } from './document/golden-document.js';
export { type OpenApiDocument } from './document/open-api.js';
