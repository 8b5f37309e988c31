import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  Body,
  type CanActivate,
  Controller,
  Get,
  HttpException,
  Injectable,
  Module,
  Param,
  Post,
  Req,
} from '@nestjs/common';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { DependencyUnavailable } from '#domain/kernel';
import { createLogger, Metrics } from '#infra/runtime';
import { type FastifyRequest } from 'fastify';
import {
  authenticatedBy,
  callerAddress,
  createHttpApp,
  PageAddress,
  Problem,
  readBody,
  rawPath,
  rawQuery,
  type StreamedBody,
  StreamsBody,
  WithoutAuthentication,
} from './index.js';

@Injectable()
class NobodyPasses implements CanActivate {
  canActivate(): boolean {
    throw new Problem({ status: 401, code: 'invalid_token' });
  }
}
const Guarded = () => authenticatedBy(NobodyPasses);

@Controller('things')
@WithoutAuthentication('a specimen')
class OpenController {
  @Get('echo/:name')
  echo(@Req() request: FastifyRequest, @Param('name') name: string) {
    return {
      name,
      path: rawPath(request),
      query: rawQuery(request),
      address: callerAddress(request),
    };
  }
  @Post('echo')
  async body(@Req() request: FastifyRequest) {
    const body = await readBody(request);
    return body && { hex: body.bytes.toString('hex'), mediaType: body.mediaType ?? null };
  }
  @Post('upload')
  @StreamsBody(200_000)
  async upload(@Body() body: StreamedBody) {
    let bytes = 0;
    for await (const chunk of body.chunks()) bytes += chunk.length;
    return { bytes, contentType: body.contentType };
  }
  @Get('money')
  money() {
    return { amount_minor: 9007199254740993n, small: 1n, none: null, text: '1' };
  }
  @Get('failing/:how')
  fail(@Param('how') how: string) {
    if (how === 'defect') throw new Error('secret 254712345678');
    if (how === 'text') throw 'text' as unknown as Error;
    if (how === 'nest') throw new HttpException('tea', 418);
    if (how === 'store') throw new DependencyUnavailable('event store', 'secret host');
    throw new Problem(
      { status: 400, code: 'invalid_x' },
      { detail: 'x must be y', headers: { 'X-Y': 'z' } },
    );
  }
}

@Controller('guarded')
class GuardedController {
  @Guarded()
  @Post('upload')
  @StreamsBody(200_000)
  upload() {
    return {};
  }
  @Guarded()
  @Post()
  post() {
    return {};
  }
}

@Controller('rails')
class RailsController {
  @WithoutAuthentication('a specimen')
  @Get(':token')
  token() {
    return {};
  }
}

@Module({
  controllers: [OpenController, GuardedController, RailsController],
  providers: [NobodyPasses, { provide: PageAddress, useValue: new PageAddress('/desk') }],
})
class Specimen {}

const lines: string[] = [];
const logger = createLogger({
  app: 'test',
  destination: { write: (line: string) => void lines.push(line) },
});
const metrics = new Metrics();
let app: NestFastifyApplication;
let port: number;

beforeAll(async () => {
  app = await createHttpApp(Specimen, {
    trustedProxies: ['127.0.0.1', '10.0.0.0/8'],
    logger,
    metrics,
  });
  await app.listen(0, '127.0.0.1');
  port = (app.getHttpServer().address() as { port: number }).port;
});
afterAll(() => app.close());

describe('an error answer', () => {
  it.each([
    ['a code, a detail and headers', 'problem', 400, { error: 'invalid_x', detail: 'x must be y' }],
    ['nothing of a defect', 'defect', 500, { error: 'internal_error' }],
    ['nothing of what was thrown', 'text', 500, { error: 'internal_error' }],
    ['nothing of a dependency', 'store', 503, { error: 'service_unavailable' }],
  ])('reports %s', async (_, how, status, body) => {
    const answer = await app.inject(`/things/failing/${how}`);
    expect([answer.statusCode, answer.json()]).toEqual([status, body]);
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(answer.headers['retry-after']).toBe(status === 503 ? '2' : undefined);
    expect(answer.headers['x-y']).toBe(how === 'problem' ? 'z' : undefined);
  });

  it('is 404 if no route has the path, and 405 with Allow if the path has other methods', async () => {
    const unknown = await app.inject('/nowhere?phone=254712345678');
    expect([unknown.statusCode, unknown.json()]).toEqual([404, { error: 'not_found' }]);
    const wrong = await app.inject({ method: 'DELETE', url: '/things/echo/x?y' });
    expect([wrong.statusCode, wrong.json()]).toEqual([405, { error: 'method_not_allowed' }]);
    expect(wrong.headers.allow).toBe('GET, HEAD');
    const guarded = await app.inject({ method: 'GET', url: '/guarded' });
    expect([guarded.statusCode, guarded.headers.allow]).toEqual([405, 'POST']);
  });

  it.each([
    ['with an unfinished escape', '/things/echo/%'],
    ['with an invalid escape', '/things/echo/%zz'],
    ['with an endless segment', `/things/echo/${'x'.repeat(2000)}`],
    ['with an empty segment', '/things/echo/'],
  ])('is 404 for a path %s', async (_, url) => {
    const answer = await app.inject(url);
    expect([answer.statusCode, answer.json()]).toEqual([404, { error: 'not_found' }]);
    expect(answer.headers['x-request-id']).toBeDefined();
  });

  it('is 413 for a body over 64 KiB, before authentication; 64 KiB are read', async () => {
    const post = (bytes: number) =>
      app.inject({ method: 'POST', url: '/guarded', payload: Buffer.alloc(bytes, 'x') });
    const answer = await post(64 * 1024 + 1);
    expect([answer.statusCode, answer.json()]).toEqual([413, { error: 'payload_too_large' }]);
    expect((await post(64 * 1024)).statusCode).toBe(401);
  });

  it.each([
    ['401 before a byte of it is read', '/guarded', 401],
    ['413 where it is read', '/things/echo', 413],
  ])('is, for a chunked body over 64 KiB, %s', async (_, path, expected) => {
    const status = await new Promise((resolve, reject) => {
      const request = httpRequest({ port, method: 'POST', path }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      });
      request.on('error', reject);
      for (let chunk = 0; chunk < 9; chunk += 1) request.write(Buffer.alloc(8 * 1024));
      request.end();
    });
    expect(status).toBe(expected);
  });

  it('is 401 before a self-read body is read, and 413 once that body is too long', async () => {
    const post = (url: string, bytes: number) =>
      app.inject({
        method: 'POST',
        url,
        payload: Buffer.alloc(bytes, 'x'),
        headers: { 'content-type': 'multipart/form-data; boundary=b' },
      });
    expect((await post('/guarded/upload', 300_000)).statusCode).toBe(401);
    expect((await post('/things/upload', 200_001)).json()).toEqual({ error: 'payload_too_large' });
    const taken = await post('/things/upload', 200_000);
    const contentType = 'multipart/form-data; boundary=b';
    expect(taken.json()).toEqual({ bytes: 200_000, contentType });
  });

  it('for a malformed Content-Type waits for authentication', async () => {
    const answer = await app.inject({
      method: 'POST',
      url: '/guarded',
      headers: { 'content-type': 'nonsense' },
      payload: '{}',
    });
    expect(answer.statusCode).toBe(401);
  });

  it('has the standard form even if the request is not HTTP', async () => {
    const answer = await send('GET / HTTP/9.9\r\n\r\n');
    expect(answer).toMatch(
      /^HTTP\/1\.1 400 Bad Request\r\n[^]*\r\n\r\n\{"error":"invalid_request"\}$/,
    );
    const long = await send(`GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`);
    expect(long).toMatch(/^HTTP\/1\.1 400 [^]*\{"error":"invalid_request"\}$/);
  });
});

describe('a request that a proxy may read differently', () => {
  const isRefused =
    /^HTTP\/1\.1 400 [^]*\r\nconnection: close\r\n[^]*\{"error":"invalid_request"\}$/;

  it.each([
    ['two Host headers', 'GET /things/money HTTP/1.1\r\nHost: x\r\nhOST: x\r\n\r\n'],
    [
      'two Authorization headers',
      'GET /things/money HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer a\r\nauthorization: Bearer a\r\n\r\n',
    ],
    [
      'HTTP/1.0 and chunks',
      'POST /things/echo HTTP/1.0\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n',
    ],
    ['two Host headers and no route', 'GET /nowhere HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n'],
  ])('with %s is rejected', async (_, bytes) => {
    expect(await send(bytes)).toMatch(isRefused);
  });

  it('is accepted if it repeats neither Host nor Authorization', async () => {
    const head = 'Host: x\r\nFrom: x\r\nFrom: y\r\nAuthorization: Bearer a\r\nConnection: close';
    expect(await send(`GET /things/money HTTP/1.1\r\n${head}\r\n\r\n`)).toMatch(/^HTTP\/1\.1 200 /);
    expect(await send('GET /things/money HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1\.1 200 /);
  });
});

describe('a path', () => {
  it.each([
    '/%74hings/money',
    '/things/mone%79',
    '/things/echo/%61',
    '/things/echo/a%2Eb',
    '/things/echo/%7e',
    '/%72ails/0123abcd',
    '/things%2Fmoney',
    '/things//money',
    '/things/./money',
  ])('has one spelling: %s is not it', async (url) => {
    const answer = await send(`GET ${url} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 404 [^]*\{"error":"not_found"\}$/);
  });

  it('with a trailing slash redirects to the page', async () => {
    const answers = await Promise.all([
      app.inject('/desk/?a=b'),
      app.inject({ method: 'HEAD', url: '/desk/' }),
      app.inject({ method: 'POST', url: '/desk/' }),
      app.inject('/things/money/'),
    ]);
    expect(answers.map(({ statusCode, headers }) => [statusCode, headers.location])).toEqual([
      [308, '/desk?a=b'],
      [308, '/desk'],
      [404, undefined],
      [404, undefined],
    ]);
  });
});

describe('every answer', () => {
  it('isolates its page, and requires https for later visits only if the service is reached by https', async () => {
    const at = async (baseUrl: string) => {
      const made = await createHttpApp(Specimen, { trustedProxies: [], logger, metrics, baseUrl });
      await made.init();
      await made.getHttpAdapter().getInstance().ready();
      return made;
    };
    const [secure, plain] = [await at('https://pay.example'), await at('http://127.0.0.1:8080')];
    for (const url of ['/things/money', '/nowhere', '/things/echo/%zz']) {
      expect((await secure.inject(url)).headers).toMatchObject({
        'strict-transport-security': 'max-age=31536000',
        'cross-origin-opener-policy': 'same-origin',
      });
      for (const other of [plain, app])
        expect((await other.inject(url)).headers['strict-transport-security']).toBeUndefined();
    }
    await Promise.all([secure.close(), plain.close()]);
  });
});

describe('a request target that is not a path', () => {
  const ask = (target: string) =>
    send(`GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);

  it('is read as its URL, and is not found if that has no path', async () => {
    expect(await ask('http://a/things/echo/x?b=1')).toContain(
      '{"name":"x","path":"/things/echo/x","query":"b=1","address":"127.0.0.1"}',
    );
    const toNoPath = ['http://a?/things/echo/x', 'https://a', 'HTTP://a?b'];
    for (const target of [...toNoPath, '*things/money', '*']) {
      const answer = await ask(target);
      expect(answer).toMatch(/^HTTP\/1\.1 404 [^]*\{"error":"not_found"\}$/);
      expect(answer).toMatch(/\r\nx-request-id: [0-9a-f-]{36}\r\n/);
    }
  });
});

describe('a request whose sender disconnects before its body is complete', () => {
  it('is not logged as a defect', async () => {
    lines.length = 0;
    const server = app.getHttpServer();
    const noticed = once(server, 'connection').then(([socket]) => once(socket as Socket, 'close'));
    const begun = once(server, 'request');
    const socket = connect(port, '127.0.0.1', () => {
      socket.write('POST /things/echo HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{}');
    });
    await begun;
    socket.destroy();
    await noticed;
    await app.inject('/nowhere');
    expect(lines.filter((line) => !line.includes('"level":"info"'))).toEqual([]);
    expect(lines.join('')).toContain('"route":"unknown"');
  });
});

describe('an answer', () => {
  it('writes amounts as integers, exact at any size', async () => {
    const { payload } = await app.inject('/things/money');
    expect(payload).toBe('{"amount_minor":9007199254740993,"small":1,"none":null,"text":"1"}');
  });
});

describe('a request', () => {
  it('is passed on as sent: path, query and bytes', async () => {
    const answer = await app.inject('/things/echo/a%2fb%3a?b=%2B&a=+&&');
    expect(answer.json()).toMatchObject({
      name: 'a/b:',
      path: '/things/echo/a%2fb%3a',
      query: 'b=%2B&a=+&&',
    });
    const body = await app.inject({
      method: 'POST',
      url: '/things/echo',
      headers: { 'content-type': 'Application/JSON; charset=utf-8' },
      payload: Buffer.from([0, 255, 10]),
    });
    expect(body.json()).toEqual({ hex: '00ff0a', mediaType: 'application/json' });
  });

  it.each([
    ['nonsense', null],
    ['a/b c', null],
    ['text/plain;charset', 'text/plain'],
  ])('with Content-Type %s has the media type %s', async (type, mediaType) => {
    const body = await app.inject({
      method: 'POST',
      url: '/things/echo',
      headers: { 'content-type': type },
      payload: 'x',
    });
    expect(body.json()).toEqual({ hex: '78', mediaType });
  });

  const idAnswered = async (id: string): Promise<unknown> => {
    const answer = await app.inject({ url: '/nowhere', headers: { 'x-request-id': id } });
    return answer.headers['x-request-id'];
  };

  it.each([
    'order-1.2_3',
    'pay-2026-11-23.0001',
    'c7123456-7812-4345-9abc-171234567890',
    'c7123456781243459abc171234567890',
  ])('keeps the id %s that a caller gave it', async (id) => {
    expect(await idAnswered(id)).toBe(id);
  });

  it.each([
    ...['a b', '<script>', 'x'.repeat(65), ''],
    ...['254712345678', 'call-254112345678.1', '254-712-345-678', '+254712345678'],
    ...['pay-0712345678-1', '0712345678', '712345678', 'req_0112345678', '07.12_34-56.78'],
    ...['00000000-0000-4000-8000-000712345678', '00000000000000000000000712345678'],
  ])('gives a new id for %j, which is not an id or may contain a phone number', async (id) => {
    expect(await idAnswered(id)).toMatch(/^[0-9a-f]{8}-[0-9a-f-]{27}$/);
    expect(await idAnswered(id)).not.toBe(id);
  });

  it.each([
    ['the peer, where nothing was forwarded', undefined, '127.0.0.1'],
    ['the right-most address that is no trusted proxy', '1.1.1.1, 8.8.8.8, 10.1.2.3', '8.8.8.8'],
    ['IPv4 where IPv6 maps it', '::ffff:8.8.4.4', '8.8.4.4'],
    ['IPv4 where IPv6 maps it in hexadecimal', '0:0::FFFF:0808:0404', '8.8.4.4'],
    ['IPv6 in its one spelling', '2001:DB8:0:0:0:0:0:1', '2001:db8::1'],
    ['nobody, where the right-most is no address', '8.8.8.8, unknown', undefined],
    ['nobody, where an address has a port', '8.8.8.8:80', undefined],
  ])('comes from %s', async (_, forwarded, address) => {
    const answer = await app.inject({
      url: '/things/echo/x',
      ...(forwarded !== undefined && { headers: { 'x-forwarded-for': forwarded } }),
    });
    expect(answer.json<{ address?: string }>().address).toBe(address);
  });

  it('cannot set its own address if its peer is not a trusted proxy', async () => {
    const answer = await app.inject({
      url: '/things/echo/x',
      remoteAddress: '9.9.9.9',
      headers: { 'x-forwarded-for': '8.8.8.8' },
    });
    expect(answer.json()).toMatchObject({ address: '9.9.9.9' });
  });

  it('is counted and logged by its route’s pattern only; callbacks are only counted', async () => {
    lines.length = 0;
    await app.inject('/things/echo/some-reference?phone=254712345678');
    await app.inject('/rails/0123abcd');
    await app.inject('/rails-or-not/0123abcd');
    await app.inject('/things/failing/defect');
    const log = lines.join('');
    expect(log).toContain('"route":"/things/echo/:name"');
    expect(log).toContain('"error":"internal_error"');
    expect(log).not.toMatch(/some-reference|0123abcd|254712345678|\/rails/);
    const text = await metrics.registry.metrics();
    expect(text).toContain(
      'http_requests_total{method="GET",route="/rails/:token",status="200"} 1',
    );
    expect(text).toMatch(/http_requests_total\{method="GET",route="unknown",status="404"\}/);
    expect(text).not.toContain('some-reference');
  });
});

/** Sends bytes unchanged and reads until the connection closes. */
function send(bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('close', () => {
      resolve(Buffer.concat(chunks).toString());
    });
    socket.on('error', reject);
  });
}
