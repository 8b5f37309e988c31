import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, freePort, type Service, startService } from '#testing';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
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

it('a signed collection passes, and its callback comes back through the proxy', async () => {
  const draft = collectionOf(caller, service.merchant.credentials.accountNo);
  expect((await ask(draft, ours)).status).toBe(202);
  await eventually(
    () => service.merchant.get(`/api/v4/collections/${String(draft.fields['reference'])}`),
    ({ body }) => body['status'] === 'completed',
  );
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

it('a body above 64 KiB gets the API’s own 413', async () => {
  const draft = collectionOf(caller, service.merchant.credentials.accountNo);
  draft.text = JSON.stringify({ ...draft.fields, reference: 'x'.repeat(65 * 1024) });
  expect(await ask(draft, ours)).toMatchObject({
    status: 413,
    body: { error: 'payload_too_large' },
  });
});
