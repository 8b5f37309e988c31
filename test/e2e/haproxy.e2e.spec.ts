import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, freePort, type Service, startService } from '#testing';
import { requireProgram } from '../servers/program.js';
import { type Caller, issueCaller, readOf, send } from './v4-request.js';

const [proxyAddress, ours, strangers] = ['127.0.0.1', '127.0.0.5', '127.0.0.6'];

let service: Service;
let caller: Caller;
let proxy: ChildProcess;
let proxyUrl: string;
const folder = mkdtempSync(join(tmpdir(), 'pesapost-haproxy-'));

/** The configuration from the how-to, with other ports, addresses and the certificate. */
function configuration(port: number, apiPort: string, adminPort: string): string {
  const guide = readFileSync('docs/how-to/run-on-real-servers.md', 'utf8');
  const [, text = ''] = /```\n(defaults\n[^]*?)```/.exec(guide) ?? [];
  const replaced = (from: string, count: number, to: string) => (given: string) => {
    expect(given.split(from)).toHaveLength(count + 1);
    return given.replaceAll(from, to);
  };
  return [
    replaced(':443 ssl crt /etc/haproxy/pesapost.pem', 1, `127.0.0.1:${port}`),
    replaced('port 9464', 2, `port ${adminPort}`),
    replaced('10.0.0.11:8080', 2, `127.0.0.1:${apiPort}`),
    replaced('10.0.0.12:8080', 2, `127.0.0.1:${apiPort}`),
  ].reduce((given, replace) => replace(given), text);
}

async function startProxy(): Promise<void> {
  await requireProgram('haproxy', 'haproxy', '-v');
  const [port, admin] = [await freePort(), service.child('api').ports.adminPort];
  const file = join(folder, 'haproxy.cfg');
  writeFileSync(file, configuration(port, new URL(service.baseUrl).port, String(admin)));
  // Warnings end it, too: the guide's configuration is complete.
  await promisify(execFile)('haproxy', ['-c', '-dW', '-f', file]);
  proxy = spawn('haproxy', ['-db', '-f', file], { stdio: 'ignore' });
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
  proxy.kill('SIGKILL');
  await once(proxy, 'exit');
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
