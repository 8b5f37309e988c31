import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { EventStoreDb } from '#infra/eventstoredb';
import { Database } from '#infra/postgres';
import { processContext } from '#infra/runtime';
import {
  handlersOfDispatched,
  readEverySample,
  throwAwayDatabase,
  type ThrowAwayDatabase,
} from '#testing';
import { Projector } from '#views/projection';
import { AppModule } from './app.module.js';

let throwAway: ThrowAwayDatabase;
let app: INestApplicationContext;

beforeAll(async () => {
  throwAway = await throwAwayDatabase();
  const env = { ...process.env, DATABASE_URL: throwAway.url, LOG_LEVEL: 'fatal' };
  const context = processContext('projector', env);
  app = await NestFactory.createApplicationContext(AppModule.with(context), {
    logger: false,
    abortOnError: false,
  });
});
afterAll(async () => {
  await app.get(EventStoreDb).dispose();
  await app.get(Database).close();
  await throwAway.drop();
});

it('the projector comes up with its views, and sends no command', () => {
  expect(app.get(Projector).failedTerms).toBe(0);
  expect(handlersOfDispatched(app, 'apps/projector/src')).toEqual({});
});

it('reads a log that holds every event of every release', async () => {
  const { written, read } = await readEverySample(app.get(EventStoreDb));
  expect(read).toEqual(written);
});
