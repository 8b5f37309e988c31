import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { databaseServerUrl, defaultCommandLineClient, type Settings } from '#infra/runtime';
import { z } from 'zod';
import { Refused } from './refused.js';

/** The file DATA_DIR/run.json of `npm start` (OPS-10). */
const runShape = z.object({
  eventstore_url: z.string().optional(),
  database_url: z.string().optional(),
  oidc_issuer: z.string().optional(),
  oidc_cli_client_id: z.string().default(defaultCommandLineClient),
  oidc_step_up_acr: z.array(z.string()).default([]),
  owner_token: z.string().optional(),
  settings: z.record(z.string(), z.string()).default({}),
});
type Run = z.output<typeof runShape>;

/**
 * The notes of `npm start`, if the stores are its own, however they are named.
 * @throws Refused if the file does not have the expected form
 */
export function runOf(
  settings: Pick<Settings, 'dataDir' | 'eventstoreUrl' | 'databaseUrl' | 'databaseDirectUrl'>,
): Run | undefined {
  const { dataDir, eventstoreUrl } = settings;
  const file = join(dataDir, 'run.json');
  const run = runShape.safeParse(contentOf(file));
  if (!run.success) throw new Refused([`${file} is not as npm start writes it: start it again`]);
  // The launcher notes the server itself.
  const url = databaseServerUrl(settings);
  const isOfRun =
    (eventstoreUrl === undefined || eventstoreUrl === run.data.eventstore_url) &&
    (url === undefined || url === run.data.database_url);
  return isOfRun ? run.data : undefined;
}

function contentOf(file: string): unknown {
  let text = '{}';
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    // Without a run, the code that needs its servers says so.
  }
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
