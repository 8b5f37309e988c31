/**
 * Checks openapi.json with Spectral's rules for OpenAPI, after Redocly's (`npm run check:openapi`). It uses the
 * library, because the command line brings 70 packages more. Any report fails, even a warning.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import core from '@stoplight/spectral-core';
import parsers from '@stoplight/spectral-parsers';
import rulesets from '@stoplight/spectral-rulesets';
import { root } from './prepare.mjs';

const file = 'openapi.json';
const spectral = new core.Spectral();
spectral.setRuleset({ extends: [[rulesets.oas, 'recommended']] });
const text = readFileSync(join(root, file), 'utf8');
const problems = await spectral.run(new core.Document(text, parsers.Json, file));
for (const { code, message, path, range } of problems)
  console.error(`${file}:${range.start.line + 1} ${code}: ${message} (${path.join('.')})`);
console.log(`Spectral, spectral:oas: ${problems.length} problems`);
process.exit(problems.length === 0 ? 0 : 1);
