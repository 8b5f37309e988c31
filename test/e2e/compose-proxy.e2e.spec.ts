import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { connect, type ConnectionOptions, type TLSSocket } from 'node:tls';
import { eventually, freePort, type Service, startService } from '#testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { composeCertificate, makeCertificates } from '../servers/compose-certificates.js';
import { Haproxy, rendered } from '../servers/haproxy.js';
import { type Caller, collectionOf, type Draft, issueCaller, readOf, send } from './v4-request.js';

/** docker/haproxy.cfg in front of the service, with the certificate that docker/certificates.sh makes. */
const [proxyAddress, ours, strangers] = ['127.0.0.1', '127.0.0.5', '127.0.0.6'];
const publicName = 'pay.example.com';
const folder = mkdtempSync(join(tmpdir(), 'pesapost-proxy-'));

let port: number;
let tls: { readonly ca: string; readonly servername: string };
let service: Service;
let caller: Caller;
let proxy: Haproxy;

beforeAll(async () => {
  port = await freePort();
  const baseUrl = `https://${publicName}:${port}`;
  await makeCertificates(folder, baseUrl);
  const { authority } = composeCertificate(folder, 'proxy');
  tls = { ca: readFileSync(authority, 'utf8'), servername: publicName };
  service = await startService({
    TRUSTED_PROXIES: proxyAddress,
    BASE_URL: baseUrl,
    NODE_EXTRA_CA_CERTS: authority,
    SIMULATOR_CALLBACK_HOST: proxyAddress,
    // Only the callback can end a collection.
    RAIL_QUERY_DELAYS: '1h',
  });
  caller = await issueCaller(service, { ips: ours, from: ours });
  proxy = await Haproxy.start(folder, configuration(), port);
}, 480_000);
afterAll(async () => {
  await proxy.stop();
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
});

function configuration(): string {
  return rendered(readFileSync('docker/haproxy.cfg', 'utf8'), {
    'bind :443': `bind 127.0.0.1:${port}`,
    '/tls/pesapost.pem': join(folder, 'proxy/pesapost.pem'),
    '172.29.80.3:8080': new URL(service.baseUrl).host,
  });
}

/** Sends it through the proxy from an address, with the caller's own claim about it. */
function ask(draft: Draft, from: string, forwarded?: string | string[]) {
  draft.headers['x-forwarded-for'] = forwarded as string | undefined;
  return send(`https://127.0.0.1:${port}`, draft, { localAddress: from, tls });
}

async function secured(options: ConnectionOptions = {}): Promise<TLSSocket> {
  const socket = connect({ host: '127.0.0.1', port, ...tls, ...options });
  await once(socket, 'secureConnect');
  return socket;
}

it('a signed collection passes, and its callback comes back through the proxy', async () => {
  const draft = collectionOf(caller, service.merchant.credentials.accountNo);
  expect((await ask(draft, ours)).status).toBe(202);
  await eventually(
    () => service.merchant.get(`/api/v4/collections/${String(draft.fields['reference'])}`),
    ({ body }) => body['status'] === 'completed',
  );
});

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
    const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' };
    await expect(secured(old as ConnectionOptions)).rejects.toMatchObject({
      code: 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION',
    });
    const accepted = await secured({ maxVersion: 'TLSv1.2' });
    expect(accepted.getProtocol()).toBe('TLSv1.2');
    accepted.destroy();
  });
});

it('passes on the address of its client, and no claim about it', async () => {
  const read = () => readOf(caller, '/api/v4/transactions');
  expect(await ask(read(), ours)).toMatchObject({ status: 200 });
  for (const claimed of [undefined, ours, `${ours}, ${proxyAddress}`, [ours, proxyAddress]])
    expect(await ask(read(), strangers, claimed)).toMatchObject({
      status: 403,
      body: { error: 'ip_not_allowed' },
    });
  expect(await ask(read(), ours, strangers)).toMatchObject({ status: 200 });
});

describe('a body', () => {
  it('above 64 KiB gets the API’s own 413', async () => {
    const draft = collectionOf(caller, service.merchant.credentials.accountNo);
    draft.text = JSON.stringify({ ...draft.fields, reference: 'x'.repeat(65 * 1024) });
    expect(await ask(draft, ours)).toMatchObject({
      status: 413,
      body: { error: 'payload_too_large' },
    });
  });

  it.each([
    ['/api/v4/payout-batches', 513 * 1024],
    ['/portal/upload', 66 * 1024 * 1024],
  ])('that no route of %s takes is refused by its length', async (path, length) => {
    const headers = { 'content-length': length };
    const announced = request({ host: '127.0.0.1', port, ...tls, path, method: 'POST', headers });
    announced.flushHeaders();
    const [answer] = (await once(announced, 'response')) as [IncomingMessage];
    announced.on('error', () => undefined);
    expect([answer.statusCode, JSON.parse(await text(answer))]).toEqual([
      413,
      { error: 'payload_too_large' },
    ]);
    announced.destroy();
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
  await service.kill('api');
  const refused = await ask(readOf(caller, '/api/v4/transactions'), ours);
  expect(refused).toMatchObject({ status: 503, body: { error: 'service_unavailable' } });
  expect(refused.headers['retry-after']).toBe('2');
});
