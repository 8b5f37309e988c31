import { apiDocument } from './api-document.js';

/** The text of openapi.json at the root of the repository. */
export function goldenDocument(): string {
  return `${JSON.stringify(apiDocument(), null, 2)}\n`;
}
