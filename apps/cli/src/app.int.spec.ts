import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { EventStoreDb } from '#infra/eventstoredb';
import { createLogger, loadSettings } from '#infra/runtime';
import {
  handlersOfDispatched,
  readEverySample,
  throwAwayDatabase,
  type ThrowAwayDatabase,
} from '#testing';
import { AppModule } from './app.js';
import { serversOf } from './servers.js';

let throwAway: ThrowAwayDatabase;
let app: INestApplicationContext;

beforeAll(async () => {
  throwAway = await throwAwayDatabase();
  const settings = loadSettings({ ...process.env, DATABASE_URL: throwAway.url });
  const logger = createLogger({ app: 'cli', level: 'silent' });
  const options = { servers: await serversOf(settings), logger, settings };
  app = await NestFactory.createApplicationContext(AppModule.with(options), {
    logger: false,
    abortOnError: false,
  });
});
afterAll(async () => {
  await app.close();
  await throwAway.drop();
});

it('the command line has one handler for each command and query that it sends', () => {
  const handlers = handlersOfDispatched(app, 'apps/cli/src');
  expect(handlers).toHaveProperty('RegisterMerchant');
  expect(new Set(Object.values(handlers))).toEqual(new Set([1]));
});

it('reads a log that holds every event of every release', async () => {
  const { written, read } = await readEverySample(app.get(EventStoreDb));
  expect(read).toEqual(written);
});
