import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Module } from '@nestjs/common';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { createLogger, Metrics } from '#infra/runtime';
import { createHttpApp } from '#shared/http';
import { ApiDocsModule, ApiDocsOptions } from './index.js';
import { pageAddresses } from './site/addresses.js';

let app: NestFastifyApplication;

beforeAll(async () => {
  const providers = [
    { provide: ApiDocsOptions, useValue: new ApiDocsOptions('https://pay.example') },
  ];
  @Module({ providers, exports: providers })
  class Infrastructure {}
  @Module({})
  class Whole {}
  const infrastructure = { module: Infrastructure, global: true };
  app = await createHttpApp(
    { module: Whole, imports: [infrastructure, ApiDocsModule] },
    {
      trustedProxies: [],
      logger: createLogger({ app: 'spec', level: 'silent' }),
      metrics: new Metrics(),
    },
  );
  await app.init();
  await app.getHttpAdapter().getInstance().ready();
});
afterAll(() => app.close());

const get = (url: string, headers: Record<string, string> = {}) => app.inject({ url, headers });

describe('the documentation', () => {
  it.each(pageAddresses)(
    'is served at %s, and an address with a trailing slash leads there',
    async (address) => {
      expect((await get(address)).statusCode).toBe(200);
      const { statusCode, headers } = await get(`${address}/`);
      expect([statusCode, headers.location]).toEqual([308, address]);
    },
  );

  it('is compressed for clients that accept it, to the same text', async () => {
    const plain = await get('/docs');
    expect([plain.headers['content-encoding'], plain.headers.vary]).toEqual([
      undefined,
      'Accept-Encoding',
    ]);
    const brotli = await get('/docs', { 'accept-encoding': 'gzip, br' });
    expect(brotli.headers['content-encoding']).toBe('br');
    expect(brotliDecompressSync(brotli.rawPayload).toString()).toBe(plain.body);
    const gzip = await get('/docs', { 'accept-encoding': 'gzip' });
    expect(gzip.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' });
    expect(gunzipSync(gzip.rawPayload).toString()).toBe(plain.body);
    expect(gzip.rawPayload.length).toBeLessThan(plain.rawPayload.length / 3);
  });

  it('is not sent again to a client that has it', async () => {
    const { etag, 'cache-control': cacheControl } = (await get('/docs/errors')).headers;
    expect(cacheControl).toBe('public, max-age=60');
    const again = await get('/docs/errors', { 'if-none-match': `"other", ${String(etag)}` });
    expect([again.statusCode, again.body, again.headers.etag]).toEqual([304, '', etag]);
    expect((await get('/docs', { 'if-none-match': String(etag) })).statusCode).toBe(200);
  });

  it('leads the address of another release’s file to this one’s, and knows no others', async () => {
    const [style = ''] = /\/docs\/static\/style-\w+\.css/.exec((await get('/docs')).body) ?? [];
    expect((await get(style)).headers['cache-control']).toBe('public, max-age=31536000, immutable');
    const old = await get('/docs/static/style-0123456789ab.css');
    expect([old.statusCode, old.headers.location]).toEqual([307, style]);
    for (const name of ['style.css', 'other-0123456789ab.css', '..%2fx', 'page-0123456789ab.css'])
      expect((await get(`/docs/static/${name}`)).statusCode).toBe(404);
  });
});
