import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type DynamicModule, type Provider, RequestMethod } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants';
import { ModulesContainer } from '@nestjs/core';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import {
  type HeldRole,
  merchantRoles,
  operatorRoles,
  type Person,
  permits,
  RoleDirectory,
} from '#domain/people';
import { ApiDocsModule } from '#edges/api-docs';
import { actionOf, Sessions } from '#edges/portal';
import { Rails } from '#edges/rails';
import { EventStoreDb } from '#infra/eventstoredb';
import { Database, ReadDatabase } from '#infra/postgres';
import { RedisStore } from '#infra/redis';
import { processContext } from '#infra/runtime';
import { authenticationOf, createHttpApp } from '#shared/http';
import { hashSecret, newSecret } from '#shared/signing';
import { throwAwayDatabase, type ThrowAwayDatabase } from '#testing';
import { AppModule } from './app.module.js';

let throwAway: ThrowAwayDatabase;
let app: NestFastifyApplication;

/** Of every kind of person the roles, by the subject. */
const held: Readonly<Record<string, readonly HeldRole[]>> = {
  nobody: [],
  ...Object.fromEntries(operatorRoles.map((role) => [role, [{ role }]])),
  ...Object.fromEntries(
    merchantRoles.flatMap((role) =>
      ['m1', 'm2'].map((merchantId) => [`${role} of ${merchantId}`, [{ role, merchantId }]]),
    ),
  ),
};

class RolesBySubject extends RoleDirectory {
  override rolesOf({ subject }: Person): Promise<readonly HeldRole[]> {
    return Promise.resolve(held[subject] ?? []);
  }
}

/** The whole API with an issuer that nobody asks, and roles that stand in no log that others read. */
function wholeApi(): DynamicModule {
  const env = {
    ...process.env,
    ...{ DATABASE_URL: throwAway.url, LOG_LEVEL: 'silent' },
    ...{ OIDC_ISSUER: 'https://id.example', OIDC_CLIENT_ID: 'portal' },
    PORTAL_URL: 'http://localhost:8080',
  };
  const { imports = [], ...whole } = AppModule.with(processContext('api', env));
  const isDirectory = (provider: Provider): boolean =>
    typeof provider === 'object' && provider.provide === RoleDirectory;
  return {
    ...whole,
    imports: imports
      // It serves a script that only a build makes.
      .filter((module) => module !== ApiDocsModule)
      .map((module) => {
        const { providers = [], ...rest } = module as DynamicModule;
        if (!providers.some(isDirectory)) return module;
        const roles = { provide: RoleDirectory, useClass: RolesBySubject };
        const all = [...providers.filter((provider) => !isDirectory(provider)), roles];
        return { ...rest, providers: all, exports: all };
      }),
  };
}

beforeAll(async () => {
  throwAway = await throwAwayDatabase();
  const { logger, metrics } = processContext('api', { ...process.env, LOG_LEVEL: 'silent' });
  app = await createHttpApp(wholeApi(), { trustedProxies: [], logger, metrics });
  await app.init();
  await app.getHttpAdapter().getInstance().ready();
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

interface Route {
  readonly method: 'GET' | 'POST';
  /** As a pattern, with a leading slash. */
  readonly pattern: string;
  readonly handler: object;
  readonly controller: object;
}

const listOf = (value: unknown): string[] => [value ?? ''].flat().map(String);

/** Every route of the application below /portal, as Nest's container has it. */
function portalRoutes(): Route[] {
  return [...app.get(ModulesContainer).values()]
    .flatMap((module) => [...module.controllers.values()])
    .flatMap(({ metatype: controller }) => {
      if (typeof controller !== 'function') return [];
      const bases = listOf(Reflect.getMetadata(PATH_METADATA, controller));
      const prototype = controller.prototype as Record<string, unknown>;
      return Object.getOwnPropertyNames(prototype).flatMap((name) => {
        const handler = prototype[name];
        if (typeof handler !== 'function' || !Reflect.hasMetadata(METHOD_METADATA, handler))
          return [];
        const method = RequestMethod[Number(Reflect.getMetadata(METHOD_METADATA, handler))];
        const paths = listOf(Reflect.getMetadata(PATH_METADATA, handler));
        return bases.flatMap((base) =>
          paths.map((path) => ({
            ...{ method: method as Route['method'], handler, controller },
            pattern: `/${base}/${path}`.replace(/\/{2,}/g, '/').replace(/(.)\/$/, '$1'),
          })),
        );
      });
    })
    .filter(({ pattern }) => pattern === '/portal' || pattern.startsWith('/portal/'));
}

const named = ({ method, pattern }: Route): string => `${method} ${pattern}`;

/** Asked for as m1's, in demo mode. */
function targetOf({ pattern }: Route): string {
  return pattern.replace(':merchantId', 'm1').replace(':mode', 'demo').replaceAll(/:\w+/g, 'x1');
}

async function ask(route: Route, subject?: string) {
  const id = newSecret();
  if (subject !== undefined) {
    const person = { issuer: 'https://id.example', subject };
    const session = { hash: hashSecret(id), person, name: subject, authenticatedAt: new Date() };
    await app.get(Sessions).open(session, { idleMs: 60_000, absoluteMs: 60_000 });
  }
  const { statusCode, body, headers } = await app.inject({
    method: route.method,
    url: targetOf(route),
    headers: {
      ...{ host: 'localhost:8080', 'accept-language': 'en', cookie: `portal=${id}` },
      ...(route.method === 'POST' && { 'content-type': 'application/x-www-form-urlencoded' }),
    },
    ...(route.method === 'POST' && { payload: 'a=b' }),
  });
  return { status: statusCode, location: String(headers.location), body };
}

const forbidden = 'Your roles do not allow this';

describe('the portal’s routes', () => {
  it('that need no session are few, and known', () => {
    const open = portalRoutes().filter(
      ({ handler, controller }) => authenticationOf(handler, controller) !== 'PortalGuard',
    );
    expect(open.map(named).sort()).toEqual([
      'GET /portal/callback',
      'GET /portal/sign-in',
      'GET /portal/signed-out',
      'GET /portal/static/:name',
      'POST /portal/language',
    ]);
  });

  it('that need no role concern nothing but one’s own session', () => {
    const own = portalRoutes().filter(
      ({ handler, controller }) =>
        authenticationOf(handler, controller) === 'PortalGuard' &&
        actionOf(handler, controller) === undefined,
    );
    expect(own.map(named).sort()).toEqual([
      'GET /portal',
      'GET /portal/confirm/:id',
      'GET /portal/confirm/:id/prove',
      'GET /portal/sessions',
      'POST /portal/sessions/end',
      'POST /portal/sessions/end-all',
      'POST /portal/sign-out',
    ]);
  });

  it('show nothing and do nothing without a session', async () => {
    for (const route of behindRoles()) {
      const { status, location } = await ask(route);
      expect({ route: named(route), status }).toEqual({
        route: named(route),
        status: route.method === 'GET' ? 303 : 401,
      });
      if (route.method === 'GET') expect(location).toMatch(/^\/portal\/sign-in\?back=%2Fportal/);
    }
  });

  it.each(Object.keys(held))('let in %s as the table says, and no further', async (subject) => {
    const roles = held[subject] ?? [];
    const routes = behindRoles();
    expect(routes.length).toBeGreaterThan(0);
    for (const route of routes) {
      const action = actionOf(route.handler, route.controller);
      if (!action) throw new TypeError('it stands behind a role');
      const merchantId = route.pattern.includes(':merchantId') ? 'm1' : undefined;
      const { status, body } = await ask(route, subject);
      const told = { route: named(route), subject, status, isForbidden: body.includes(forbidden) };
      const about = { route: named(route), subject };
      if (merchantId !== undefined && !permits(roles, 'merchant.see', merchantId))
        expect(told).toEqual({ ...about, status: 404, isForbidden: false });
      else if (!permits(roles, action, merchantId))
        expect(told).toEqual({ ...about, status: 403, isForbidden: true });
      // A form without its session's token is refused whoever sends it; so nothing is done here.
      else if (route.method === 'POST') {
        expect(told).toMatchObject({ ...about, isForbidden: false });
        expect(told.status).toBeGreaterThanOrEqual(400);
      } else expect([401, 403]).not.toContain(told.status);
    }
  });
});

function behindRoles(): Route[] {
  return portalRoutes().filter(
    ({ handler, controller }) => actionOf(handler, controller) !== undefined,
  );
}
