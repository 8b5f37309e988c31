import { expect, it } from '@jest/globals';
import { Module } from '@nestjs/common';
import { createLogger, Metrics } from '#infra/runtime';
import { createHttpApp } from '#shared/http';
import { ApiDocsModule, ApiDocsOptions } from './index.js';

it('the address of the reference with a trailing slash leads to it', async () => {
  const providers = [
    { provide: ApiDocsOptions, useValue: new ApiDocsOptions('https://pay.example') },
  ];
  @Module({ providers, exports: providers })
  class Infrastructure {}
  @Module({})
  class Whole {}
  const infrastructure = { module: Infrastructure, global: true };
  const app = await createHttpApp(
    { module: Whole, imports: [infrastructure, ApiDocsModule] },
    {
      trustedProxies: [],
      logger: createLogger({ app: 'spec', level: 'silent' }),
      metrics: new Metrics(),
    },
  );
  await app.init();
  await app.getHttpAdapter().getInstance().ready();
  const { statusCode, headers } = await app.inject('/docs/');
  expect([statusCode, headers.location]).toEqual([308, '/docs']);
  expect((await app.inject('/docs')).statusCode).toBe(200);
  await app.close();
});
