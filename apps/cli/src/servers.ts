import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Settings } from '#runtime';
import { Refused } from './refused.js';

/** The servers that a command works on. */
export interface CliServers {
  readonly eventstoreUrl: string;
  readonly databaseUrl: string;
}

/** The settings' servers, else the ones that `npm start` noted in DATA_DIR/run.json. */
export async function serversOf({
  eventstoreUrl,
  databaseUrl,
  dataDir,
}: Settings): Promise<CliServers> {
  if (eventstoreUrl !== undefined && databaseUrl !== undefined)
    return { eventstoreUrl, databaseUrl };
  const run = await readRunFile(join(dataDir, 'run.json'));
  return {
    eventstoreUrl: eventstoreUrl ?? run.eventstore_url,
    databaseUrl: databaseUrl ?? run.database_url,
  };
}

async function readRunFile(
  path: string,
): Promise<{ readonly eventstore_url: string; readonly database_url: string }> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as never;
  } catch {
    throw new Refused([
      `no servers: ${path} cannot be read. Run npm start first, or set EVENTSTORE_URL and DATABASE_URL`,
    ]);
  }
}
