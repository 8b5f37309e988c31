import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ApiDocsModule } from '#edges/api-docs';
import { Rails } from '#edges/rails';
import { EventStoreDb } from '#infra/eventstoredb';
import { Database, ReadDatabase } from '#infra/postgres';
import { RedisStore } from '#infra/redis';
import { processContext } from '#infra/runtime';
import {
  handlersOfDispatched,
  readEverySample,
  throwAwayDatabase,
  type ThrowAwayDatabase,
} from '#testing';
import { AppModule } from './app.module.js';

let throwAway: ThrowAwayDatabase;
let app: INestApplicationContext;

beforeAll(async () => {
  throwAway = await throwAwayDatabase();
  const issuer = { OIDC_ISSUER: 'http://localhost:1', OIDC_CLIENT_ID: 'portal' };
  const env = { ...process.env, ...issuer, DATABASE_URL: throwAway.url, LOG_LEVEL: 'fatal' };
  const { imports = [], ...whole } = AppModule.with(processContext('api', env));
  // Its controller serves a script that only a build creates, and it needs no port.
  const withoutDocs = { ...whole, imports: imports.filter((module) => module !== ApiDocsModule) };
  app = await NestFactory.createApplicationContext(withoutDocs, {
    logger: false,
    abortOnError: false,
  });
});
afterAll(async () => {
  await app.close();
  await app.get(Rails).close();
  await app.get(EventStoreDb).dispose();
  await app.get(RedisStore).close();
  await app.get(ReadDatabase).close();
  await app.get(Database).close();
  await throwAway.drop();
});

it('the API has one handler for each command and query that its edges send', () => {
  const handlers = handlersOfDispatched(app, 'apps/api/src');
  expect(handlers).toHaveProperty('InitiateCollection');
  expect(handlers).toHaveProperty('ConfirmReview');
  expect(new Set(Object.values(handlers))).toEqual(new Set([1]));
});

it('reads a log that holds every event of every release', async () => {
  const { written, read } = await readEverySample(app.get(EventStoreDb));
  expect(read).toEqual(written);
});
