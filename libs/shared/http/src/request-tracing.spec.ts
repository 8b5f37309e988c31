import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { Controller, Get, Module, Param, Post, Req } from '@nestjs/common';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { createLogger, Metrics, type SpanAttributes, useTracing } from '#infra/runtime';
import { type FastifyRequest } from 'fastify';
import {
  createHttpApp,
  noteRequest,
  Problem,
  traceparentOf,
  WithoutAuthentication,
} from './index.js';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const own = `00-${traceId}-00f067aa0ba902b7-01`;

@Controller()
@WithoutAuthentication('a specimen')
class Specimen {
  @Get('collections/:reference')
  found(@Param('reference') reference: string, @Req() request: FastifyRequest) {
    noteRequest(request, { merchantId: 'm-1', mode: 'demo', reference });
    return { traceparent: traceparentOf(request) ?? null };
  }
  @Get('broken')
  broken() {
    throw new Problem({ status: 503, code: 'service_unavailable' });
  }
  @Post('rails/:token')
  callback(@Req() request: FastifyRequest) {
    return { traceparent: traceparentOf(request) ?? null };
  }
}

@Module({ controllers: [Specimen] })
class SpecimenModule {}

interface Ended {
  readonly name: string;
  readonly sent: string | undefined;
  readonly attributes?: SpanAttributes;
  readonly isError?: boolean;
}

const ended: Ended[] = [];
const lines: Record<string, unknown>[] = [];
let isDrawn = true;
let app: NestFastifyApplication;

beforeAll(async () => {
  useTracing({
    begin: (name, sent) =>
      isDrawn
        ? {
            traceparent: own,
            end: (attributes = {}, isError = false) => {
              ended.push({ name, sent, attributes, isError });
            },
          }
        : undefined,
    continue: () => undefined,
    close: () => Promise.resolve(),
  });
  const destination = { write: (text: string) => void lines.push(JSON.parse(text) as never) };
  const logger = createLogger({ app: 'spec', destination });
  app = await createHttpApp(SpecimenModule, { trustedProxies: [], logger, metrics: new Metrics() });
  await app.init();
  await app.getHttpAdapter().getInstance().ready();
});
afterAll(async () => {
  useTracing(undefined);
  await app.close();
});
beforeEach(() => {
  isDrawn = true;
  ended.length = 0;
  lines.length = 0;
});

it('a recorded request has a span by its route, and its line of the log names the trace', async () => {
  const response = await app.inject({
    url: '/collections/INV-1?q=254712345678',
    headers: { traceparent: 'the caller’s' },
  });
  expect(response.json()).toEqual({ traceparent: own });
  expect(ended).toEqual([
    {
      name: 'GET /collections/:reference',
      sent: 'the caller’s',
      isError: false,
      attributes: {
        'http.request.method': 'GET',
        'http.route': '/collections/:reference',
        'http.response.status_code': 200,
        'pesapost.merchant_id': 'm-1',
        'pesapost.mode': 'demo',
      },
    },
  ]);
  expect(lines).toMatchObject([{ msg: 'request', trace_id: traceId, span_id: '00f067aa0ba902b7' }]);
});

it('a failure of ours is an error of its span, with the code', async () => {
  await app.inject({ url: '/broken' });
  expect(ended).toMatchObject([
    { isError: true, attributes: { 'error.type': 'service_unavailable' } },
  ]);
});

it('a request that was not drawn has neither', async () => {
  isDrawn = false;
  expect((await app.inject({ url: '/collections/INV-1' })).json()).toEqual({ traceparent: null });
  expect(ended).toEqual([]);
  expect(lines[0]).not.toHaveProperty('trace_id');
});

it('neither a callback of the rail nor an unknown path begins a trace', async () => {
  const answered = await app.inject({ method: 'POST', url: '/rails/some-token' });
  expect(answered.json()).toEqual({ traceparent: null });
  await app.inject({ url: '/nothing/here' });
  expect(ended).toEqual([]);
});
