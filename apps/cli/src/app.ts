import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createLogger, loadSettings, NestLogger, SettingsError } from '#runtime';
import { type INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AppModule } from './app.module.js';
import { Refused } from './refused.js';

/** The servers that a command works on. */
export interface CliServers {
  readonly eventstoreUrl: string;
  readonly databaseUrl: string;
}

/** Connects, does the work, disconnects. @throws Refused where no servers are to be found */
export async function withApp<T>(work: (app: INestApplicationContext) => Promise<T>): Promise<T> {
  const settings = settingsOrRefused();
  // A person reads the command's own lines; logs of the libraries would hide them.
  const logger = createLogger({ app: 'cli', level: 'silent' });
  const app = await NestFactory.createApplicationContext(
    AppModule.with({ servers: await serversOf(settings), logger, settings }),
    { logger: new NestLogger(logger), abortOnError: false },
  );
  try {
    return await work(app);
  } finally {
    await app.close();
  }
}

function settingsOrRefused(): ReturnType<typeof loadSettings> {
  try {
    return loadSettings(process.env);
  } catch (error) {
    if (error instanceof SettingsError) throw new Refused(error.problems);
    throw error;
  }
}

/** The settings' servers, else the ones that `npm start` noted in DATA_DIR/run.json. */
async function serversOf({
  eventstoreUrl,
  databaseUrl,
  dataDir,
}: ReturnType<typeof loadSettings>): Promise<CliServers> {
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
