import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Controller, Get, Module, Param, Req, Res } from '@nestjs/common';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { createLogger, Metrics } from '#infra/runtime';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import {
  createHttpApp,
  noteProblemCode,
  noteRequest,
  Problem,
  WithoutAuthentication,
} from './index.js';

@Controller()
@WithoutAuthentication('a specimen')
class Specimen {
  @Get('refused/:status')
  refused(@Param('status') status: string, @Req() request: FastifyRequest) {
    noteRequest(request, { namedCredentialId: 'c-1' });
    if (status === '429') noteRequest(request, { failure: 'invalid_signature' });
    throw new Problem({ status: Number(status), code: `code_${status}` });
  }
  @Get('checkout')
  badLink(@Res() reply: FastifyReply) {
    noteProblemCode(reply, 'invalid_link');
    void reply.code(400).send('a page');
  }
  @Get('collections/:reference')
  found(@Param('reference') reference: string, @Req() request: FastifyRequest) {
    noteRequest(request, { merchantId: 'm-1', mode: 'demo', credentialId: 'c-1' });
    noteRequest(request, { reference });
    return {};
  }
  @Get('rails/:token')
  callback() {
    throw new Problem({ status: 403, code: 'code_403' });
  }
}

@Module({ controllers: [Specimen] })
class SpecimenModule {}

interface Line {
  readonly log?: string;
}

const metrics = new Metrics();
const texts: string[] = [];
const securityLines = () =>
  texts.map((text) => JSON.parse(text) as Line).filter(({ log }) => log === 'security');
let app: NestFastifyApplication;
beforeAll(async () => {
  const destination = { write: (text: string) => void texts.push(text) };
  const logger = createLogger({ app: 'spec', destination });
  app = await createHttpApp(SpecimenModule, { trustedProxies: [], logger, metrics });
  await app.init();
  await app.getHttpAdapter().getInstance().ready();
});
afterAll(() => app.close());
beforeEach(() => {
  texts.length = 0;
});

let sources = 0;
/** Each request has a source of its own, so that no line is dropped. */
const get = (url: string) =>
  app.inject({
    url,
    remoteAddress: `198.51.100.${(sources += 1)}`,
    headers: { authorization: 'Bearer tell-nobody', 'x-pp-signature': 'tell-nobody' },
  });

describe('the security log of the application', () => {
  it.each([
    [401, {}],
    [403, {}],
    [429, { failure: 'invalid_signature' }],
  ])('has a line for a %i, with the caller, the address and the cause', async (status, more) => {
    await get(`/refused/${status}?phone=254712345678&token=tell-nobody`);
    expect(securityLines()).toEqual([
      expect.objectContaining({
        code: `code_${status}`,
        status,
        route: '/refused/:status',
        address: `198.51.100.${sources}`,
        credentialId: 'c-1',
        ...more,
      }),
    ]);
    expect(texts.join('')).not.toMatch(/254712345678|tell-nobody/);
  });

  it('has a line for a link without a valid signature, without the link’s contents', async () => {
    await get('/checkout?tel=254712345678&oid=ORDER-7&hsh=tell-nobody');
    expect(securityLines()).toEqual([
      expect.objectContaining({ code: 'invalid_link', route: '/checkout' }),
    ]);
    expect(texts.join('')).not.toMatch(/254712345678|ORDER-7|tell-nobody/);
  });

  it('has no line for other errors or the rail’s routes; each error is counted by its code', async () => {
    await get('/refused/400');
    await get('/nowhere');
    await get('/rails/a-capability');
    expect(securityLines()).toEqual([]);
    expect(texts.join('')).not.toContain('a-capability');
    const page = await metrics.registry.metrics();
    expect(page).toMatch(/^pesapost_http_errors_total\{code="code_400"\} 1$/m);
    expect(page).toMatch(/^pesapost_http_errors_total\{code="not_found"\} 1$/m);
  });
});

describe('the log line of a request', () => {
  it('names its merchant, mode, credential and reference', async () => {
    await get('/collections/INV-10017?tel=254712345678');
    expect(texts.map((text) => JSON.parse(text) as unknown)).toEqual([
      expect.objectContaining({
        msg: 'request',
        merchantId: 'm-1',
        mode: 'demo',
        credentialId: 'c-1',
        reference: 'INV-10017',
      }),
    ]);
  });

  it.each([
    ['254712345678', '2********678'],
    ['INV254712345678X0712345678', 'INV2********678X0******678'],
    ['ORDER/712345678', 'ORDER/7*****678'],
    ['A2547123456780001', 'A2************001'],
    ['ORDER0712-345-678', 'ORDER0******678'],
    ['ORDER-12345678', 'ORDER-12345678'],
  ])('contains the reference %s only as %s', async (reference, shown) => {
    await get(`/collections/${encodeURIComponent(reference)}`);
    expect(texts.map((text) => JSON.parse(text) as unknown)).toEqual([
      expect.objectContaining({ reference: shown }),
    ]);
    expect(texts.join('')).not.toMatch(/71234567/);
  });

  it.each([
    ['the number of a customer as an id', 'id-1', '0712345678', /^[0-9a-f-]{36}$/],
    ['a password in a reference', '//me:tell-nobody@host', 'id-1', /^id-1$/],
  ])('does not contain %s', async (_what, reference, id, shown) => {
    const url = `/collections/${encodeURIComponent(reference)}`;
    await app.inject({ url, headers: { 'x-request-id': id, authorization: 'Bearer tell-nobody' } });
    expect(texts.map((text) => JSON.parse(text) as unknown)).toEqual([
      expect.objectContaining({
        requestId: expect.stringMatching(shown),
        route: '/collections/:reference',
        status: 200,
      }),
    ]);
    expect(texts.join('')).not.toMatch(/0712345678|tell-nobody/);
  });
});
