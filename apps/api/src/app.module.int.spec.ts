import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type FactoryProvider, type INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ApiDocsModule } from '#edges/api-docs';
import { PresenceRule } from '#edges/portal';
import { Rails } from '#edges/rails';
import { EventStoreDb } from '#infra/eventstoredb';
import { Database, ReadDatabase } from '#infra/postgres';
import { RedisStore } from '#infra/redis';
import { loadSettings, processContext } from '#infra/runtime';
import {
  handlersOfDispatched,
  readEverySample,
  throwAwayDatabase,
  type ThrowAwayDatabase,
} from '#testing';
import { AppModule, portalOptions } from './app.module.js';
import { presenceRule } from './presence-rule.js';

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

it('takes a passkey alone as a proof of presence once the log has live data, though no live rail is set', async () => {
  const [rule, database] = [app.get(PresenceRule), app.get(Database)];
  expect(await rule.isStrongOnly()).toBe(true);
  await database.query('update checkpoint set fresh_at = records.now_()');
  expect(await rule.isStrongOnly()).toBe(false);
  await database.query(`insert into merchants values ('m', 'Duka', 'Africa/Nairobi', 'KE')`);
  await database.query(`insert into accounts values ('1', 'm', 'live', 'KES', 1)`);
  expect(await rule.isStrongOnly()).toBe(true);
  const lifted = { ALLOW_UNSAFE: 'weak-presence' };
  const provider = presenceRule(processContext('api', { ...process.env, ...lifted }));
  const { useFactory } = provider as FactoryProvider<PresenceRule>;
  expect(await (await useFactory(database)).isStrongOnly()).toBe(false);
});

it('refuses an issuer that cannot prove presence with live rails, unless that is allowed', () => {
  const demo = { OIDC_ISSUER: 'https://id.example', OIDC_CLIENT_ID: 'portal' };
  const live = {
    ...demo,
    BASE_URL: 'https://pay.example',
    MASTER_KEY: `k1:${randomBytes(32).toString('base64')}`,
    RAIL_MPESA_LIVE_URL: 'https://api.safaricom.co.ke',
    RAIL_MPESA_LIVE_SHORTCODE: '600100',
    RAIL_MPESA_LIVE_PASSKEY: 'p',
    RAIL_MPESA_LIVE_CONSUMER_KEY: 'k',
    RAIL_MPESA_LIVE_CONSUMER_SECRET: 's',
    RAIL_MPESA_LIVE_CALLBACK_IPS: '196.201.214.0/24',
  };
  const refuses = (env: Readonly<Record<string, string>>) =>
    portalOptions(loadSettings(env)).refusesWeakIssuer;
  expect(refuses(live)).toBe(true);
  expect(refuses({ ...live, ALLOW_UNSAFE: 'weak-presence' })).toBe(false);
  expect(refuses(demo)).toBe(false);
});

it('reads a log that holds every event of every release', async () => {
  const { written, read } = await readEverySample(app.get(EventStoreDb));
  expect(read).toEqual(written);
});
