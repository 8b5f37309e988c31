import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Module } from '@nestjs/common';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { createLogger, Metrics } from '#infra/runtime';
import { createHttpApp } from '#shared/http';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { PortalModule, PortalOptions } from './index.js';
import { PortalCookie } from './session/cookies.js';

describe('a portal without an issuer', () => {
  const options = new PortalOptions('https://pay.example', undefined, 'Africa/Nairobi');
  let app: NestFastifyApplication;

  beforeAll(async () => {
    const metrics = new Metrics();
    const providers = [
      { provide: PortalOptions, useValue: options },
      { provide: Metrics, useValue: metrics },
    ];
    @Module({ providers, exports: providers })
    class Infrastructure {}
    @Module({})
    class Whole {}
    const portal = PortalModule.with(options);
    const infrastructure = { module: Infrastructure, global: true };
    app = await createHttpApp(
      { module: Whole, imports: [infrastructure, portal] },
      {
        trustedProxies: [],
        logger: createLogger({ app: 'spec', level: 'silent' }),
        metrics,
      },
    );
    await app.init();
    await app.getHttpAdapter().getInstance().ready();
  });
  afterAll(() => app.close());

  it('says in one page what to set, in either language, and serves nothing else', async () => {
    const { statusCode, body } = await app.inject({ method: 'GET', url: '/portal' });
    expect(statusCode).toBe(404);
    for (const said of ['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'https://pay.example/portal/callback'])
      expect(body).toContain(said);
    for (const url of ['/portal/sign-in', '/portal/callback', '/portal/reviews'])
      expect((await app.inject({ method: 'GET', url })).statusCode).toBe(404);
    const chosen = await app.inject({
      method: 'POST',
      url: '/portal/language',
      payload: 'language=sw&back=/portal',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    const cookie = String(chosen.headers['set-cookie']).split(';')[0];
    expect([chosen.headers.location, cookie]).toEqual(['/portal', '__Host-portal-language=sw']);
    const again = await app.inject({ url: '/portal', headers: { cookie } });
    expect(again.body).toContain('<html lang="sw">');
  });
});

describe('a cookie of the portal', () => {
  /** The header as a browser gets it. */
  function setBy(url: string, path?: string): string[] {
    const headers = new Map<string, string[]>();
    const reply = {
      getHeader: (name: string) => headers.get(name),
      removeHeader: (name: string) => headers.delete(name),
      header: (name: string, value: string[]) => headers.set(name, value),
    } as unknown as FastifyReply;
    new PortalCookie('portal', url, path).set(reply, 'id');
    new PortalCookie('other', url).clear(reply);
    return headers.get('Set-Cookie') ?? [];
  }

  it('is bound to the host over https, and the browser alone sends it', () => {
    expect(setBy('https://pay.example')).toEqual([
      '__Host-portal=id; Path=/; HttpOnly; SameSite=Lax; Secure',
      '__Host-other=; Path=/; HttpOnly; SameSite=Lax; Secure; Max-Age=0',
    ]);
    expect(setBy('https://pay.example', '/portal/sign-out')[0]).toBe(
      '__Secure-portal=id; Path=/portal/sign-out; HttpOnly; SameSite=Lax; Secure',
    );
    expect(setBy('http://localhost:8080')[0]).toBe('portal=id; Path=/; HttpOnly; SameSite=Lax');
  });

  it('is read if it has the expected form, regardless of other cookies with its name', () => {
    const cookie = 'portal=; a=b; portal=<x>; __Host-portal=no; portal=yes; portal=late';
    const request = { headers: { cookie } } as FastifyRequest;
    const read = new PortalCookie('portal', 'http://localhost').read(request, /^[a-z]{2,}$/);
    expect(read).toBe('yes');
  });
});

describe('the API’s start', () => {
  it('loads neither the OpenID library nor what writes PDF: no file of ours imports them but when asked', () => {
    const root = new URL('../../../', import.meta.url);
    const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
      (file) => file.endsWith('.ts') && !file.endsWith('.spec.ts') && !file.includes('/test/'),
    );
    const eager = files.filter((file) =>
      /^import (?!type ).*from '(?:openid-client|pdfkit)'/m.test(
        readFileSync(new URL(file, root), 'utf8'),
      ),
    );
    expect(files.length).toBeGreaterThan(500);
    expect(eager).toEqual([]);
  });
});
