import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, freePort, type Service, startService } from '#testing';
import { Haproxy, rendered } from '../servers/haproxy.js';
import { type Caller, issueCaller, readOf, send } from './v4-request.js';

const [proxyAddress, ours, strangers] = ['127.0.0.1', '127.0.0.5', '127.0.0.6'];

let service: Service;
let caller: Caller;
let proxy: Haproxy;
let proxyUrl: string;
const folder = mkdtempSync(join(tmpdir(), 'pesapost-haproxy-'));

/** The configuration from the how-to, with other ports, addresses and the certificate. */
function configuration(port: number, apiPort: string, adminPort: string): string {
  const guide = readFileSync('docs/how-to/run-on-real-servers.md', 'utf8');
  const [, text = ''] = /```\n(defaults\n[^]*?)```/.exec(guide) ?? [];
  return rendered(text, {
    ':443 ssl crt /etc/haproxy/pesapost.pem': `127.0.0.1:${port}`,
    'port 9464': `port ${adminPort}`,
    '10.0.0.11:8080': `127.0.0.1:${apiPort}`,
    '10.0.0.12:8080': `127.0.0.1:${apiPort}`,
  });
}

async function startProxy(): Promise<void> {
  const [port, admin] = [await freePort(), service.child('api').ports.adminPort];
  const text = configuration(port, new URL(service.baseUrl).port, String(admin));
  proxy = await Haproxy.start(folder, text, port);
  proxyUrl = `http://127.0.0.1:${port}`;
  await eventually(
    () =>
      fetch(`${proxyUrl}/docs`).then(
        ({ status }) => status,
        () => 0,
      ),
    (status) => status === 200,
  );
}

beforeAll(async () => {
  service = await startService({ TRUSTED_PROXIES: proxyAddress });
  caller = await issueCaller(service, { ips: ours, from: ours });
  await startProxy();
}, 480_000);
afterAll(async () => {
  await proxy.stop();
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function ask(from: string, forwarded?: string | string[]): Promise<unknown[]> {
  const draft = readOf(caller, '/api/v4/transactions');
  draft.headers['x-forwarded-for'] = forwarded as string | undefined;
  const { status, body } = await send(proxyUrl, draft, { localAddress: from });
  return [status, body['error']];
}

describe('HAProxy, as the guide sets it up', () => {
  it('passes on the address from which its client comes', async () => {
    expect(await ask(ours)).toEqual([200, undefined]);
    expect(await ask(strangers)).toEqual([403, 'ip_not_allowed']);
  });

  it('lets no client choose its address', async () => {
    for (const claimed of [
      ours,
      `${ours}, ${ours}`,
      `${ours}, ${proxyAddress}`,
      [ours, proxyAddress],
    ])
      expect(await ask(strangers, claimed)).toEqual([403, 'ip_not_allowed']);
    expect(await ask(ours, strangers)).toEqual([200, undefined]);
  });

  it('leads callbacks to their own route, which no other spelling reaches', async () => {
    const post = (path: string) => fetch(proxyUrl + path, { method: 'POST', body: '{}' });
    expect((await post(`/rails/${'ab'.repeat(60)}`)).status).toBe(200);
    expect((await post(`/%72ails/${'ab'.repeat(60)}`)).status).toBe(404);
  });
});
