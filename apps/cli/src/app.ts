import { armCrashPoints, createLogger, NestLogger } from '#infra/runtime';
import { type INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AppModule } from './app.module.js';
import { serversOf } from './servers.js';
import { settingsOrRefused } from './settings.js';

/** Connects, does the work, disconnects. @throws Refused where no servers are to be found */
export async function withApp<T>(work: (app: INestApplicationContext) => Promise<T>): Promise<T> {
  const settings = settingsOrRefused();
  if (settings.crashAt)
    armCrashPoints(settings.crashAt, createLogger({ app: 'cli', destination: process.stderr }));
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
