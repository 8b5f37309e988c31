import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { request } from 'node:https';
import { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { connect, type ConnectionOptions, type TLSSocket } from 'node:tls';
import { freePort } from '#testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { composeCertificate, makeCertificates } from '../servers/compose-certificates.js';
import { Haproxy, rendered } from '../servers/haproxy.js';

/** docker/haproxy.cfg with the certificate of docker/certificates.sh, in front of a server that shows what it gets. */
const publicName = 'pay.example.com';
const folder = mkdtempSync(join(tmpdir(), 'pesapost-proxy-'));

let port: number;
let tls: { readonly ca: string; readonly servername: string };
let behind: Server;
let proxy: Haproxy;

beforeAll(async () => {
  port = await freePort();
  await makeCertificates(folder, `https://${publicName}`);
  tls = {
    ca: readFileSync(composeCertificate(folder, 'proxy').authority, 'utf8'),
    servername: publicName,
  };
  behind = createServer((incoming, response) => {
    response.end(JSON.stringify(incoming.headersDistinct['x-forwarded-for']));
  }).listen(0, '127.0.0.1');
  await once(behind, 'listening');
  const configuration = rendered(readFileSync('docker/haproxy.cfg', 'utf8'), {
    'bind :443': `bind 127.0.0.1:${port}`,
    '/tls/pesapost.pem': join(folder, 'proxy/pesapost.pem'),
    '172.29.80.3:8080': `127.0.0.1:${(behind.address() as AddressInfo).port}`,
  });
  proxy = await Haproxy.start(folder, configuration, port);
});
afterAll(async () => {
  await proxy.stop();
  behind.close();
  behind.closeAllConnections();
  rmSync(folder, { recursive: true, force: true });
});

async function secured(options: ConnectionOptions = {}): Promise<TLSSocket> {
  const socket = connect({ host: '127.0.0.1', port, ...tls, ...options });
  await once(socket, 'secureConnect');
  return socket;
}

async function ask(
  path: string,
  headers: Readonly<Record<string, string | number | string[]>> = {},
  from = '127.0.0.1',
): Promise<{ readonly status: number | undefined; readonly body: unknown }> {
  const options = { host: '127.0.0.1', port, ...tls, path, headers, localAddress: from };
  const outgoing = request({ ...options, method: 'POST', agent: false });
  // A body that is announced only is never sent.
  outgoing.flushHeaders();
  if (headers['content-length'] === undefined) outgoing.end();
  const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
  outgoing.on('error', () => undefined);
  const body = JSON.parse(await text(answer)) as unknown;
  outgoing.destroy();
  return { status: answer.statusCode, body };
}

describe('TLS', () => {
  it('is the only way in', async () => {
    await expect(fetch(`http://127.0.0.1:${port}/docs`)).rejects.toThrow();
  });

  it('is of the private authority, for the name of BASE_URL', async () => {
    await expect(secured({ ca: undefined })).rejects.toMatchObject({
      code: expect.stringMatching(/SELF_SIGNED|UNABLE_TO/) as unknown,
    });
    await expect(secured({ servername: 'other.example.com' })).rejects.toMatchObject({
      code: 'ERR_TLS_CERT_ALTNAME_INVALID',
    });
  });

  it('is 1.2 or later: the proxy itself refuses 1.1', async () => {
    const old: ConnectionOptions = {
      minVersion: 'TLSv1',
      maxVersion: 'TLSv1.1',
      ciphers: 'DEFAULT@SECLEVEL=0',
    };
    await expect(secured(old)).rejects.toMatchObject({
      code: 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION',
    });
    const accepted = await secured({ maxVersion: 'TLSv1.2' });
    expect(accepted.getProtocol()).toBe('TLSv1.2');
    accepted.destroy();
  });
});

it('passes on the address of its client, and no claim about it', async () => {
  for (const claimed of ['198.51.100.7', '198.51.100.7, 127.0.0.1', ['198.51.100.7', '127.0.0.1']])
    expect(await ask('/', { 'x-forwarded-for': claimed }, '127.0.0.5')).toEqual({
      status: 200,
      body: ['127.0.0.5'],
    });
});

it.each([
  ['/api/v4/payouts', 513 * 1024],
  ['/rails/abc', 513 * 1024],
  ['/portal/upload', 66 * 1024 * 1024],
])('refuses a body that no route of %s takes by its length', async (path, length) => {
  expect(await ask(path, { 'content-length': length })).toEqual({
    status: 413,
    body: { error: 'payload_too_large' },
  });
});

it('cuts off a client that does not end its head', async () => {
  const socket = await secured();
  const sinceMs = performance.now();
  socket.write(`GET /docs HTTP/1.1\r\nHost: ${publicName}\r\n`);
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 408 /);
  expect(performance.now() - sinceMs).toBeGreaterThan(5_000);
});

it('answers 503 as the API does while there is no API', async () => {
  behind.close();
  behind.closeAllConnections();
  expect(await ask('/')).toEqual({ status: 503, body: { error: 'service_unavailable' } });
});
