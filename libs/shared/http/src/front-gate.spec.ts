import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Controller, Get, Module, Post } from '@nestjs/common';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { createLogger, Metrics } from '#infra/runtime';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { createHttpApp, FrontGate, Problem, rawPath, WithoutAuthentication } from './index.js';

class SpecimenGate extends FrontGate {
  override pass(request: FastifyRequest, reply: FastifyReply): boolean {
    const path = rawPath(request);
    if (!path.startsWith('/old')) return true;
    void reply.header('X-Old', 'yes');
    if (path.startsWith('/old/gone')) throw new Problem({ status: 410, code: 'gone' });
    if (!path.startsWith('/old/page')) return true;
    void reply.code(410).type('text/html').send('<p>gone</p>');
    return false;
  }
}

let served = 0;

@Controller()
@WithoutAuthentication('a specimen')
class Specimens {
  @Get('old/there')
  old() {
    return {};
  }
  @Get('new')
  fresh() {
    return {};
  }
  @Post('old/gone/push')
  push() {
    served += 1;
    return {};
  }
}

@Module({ controllers: [Specimens], providers: [SpecimenGate] })
class SpecimenModule {}

let app: NestFastifyApplication;
let baseUrl: string;
beforeAll(async () => {
  const logger = createLogger({ app: 'tests', level: 'silent' });
  const options = { trustedProxies: [], logger, metrics: new Metrics() };
  app = await createHttpApp(SpecimenModule, options);
  await app.listen(0, '127.0.0.1');
  baseUrl = await app.getUrl();
});
afterAll(() => app.close());

describe('a gate in front of the routes', () => {
  it.each([
    ['GET', '/old/there', 200],
    ['GET', '/old/unknown', 404],
    ['DELETE', '/old/there', 405],
    ['GET', '/old/%zz', 404],
    ['GET', '/new', 200],
  ])('sets its headers on every answer that it covers: %s %s', async (method, path, status) => {
    const answer = await fetch(baseUrl + path, { method });
    expect(answer.status).toBe(status);
    expect(answer.headers.get('x-old')).toBe(path.startsWith('/old') ? 'yes' : null);
  });

  it.each(['/old/gone/push', '/old/gone/nowhere', '/old/gone/%zz'])(
    'answers in place of any route behind it: %s',
    async (path) => {
      const answer = await fetch(baseUrl + path, { method: 'POST', body: '{}' });
      expect(answer.status).toBe(410);
      expect(answer.headers.get('x-old')).toBe('yes');
      expect(answer.headers.get('x-request-id')).toMatch(/./);
      expect(await answer.json()).toEqual({ error: 'gone' });
      expect(served).toBe(0);
    },
  );

  it('may answer in its own format', async () => {
    const answer = await fetch(`${baseUrl}/old/page`);
    expect([answer.status, await answer.text()]).toEqual([410, '<p>gone</p>']);
  });
});
