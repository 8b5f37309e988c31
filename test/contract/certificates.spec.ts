import { X509Certificate } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { composeCertificate, makeCertificates } from '../servers/compose-certificates.js';

/** docker/certificates.sh, as docker compose runs it at each start. */
const baseUrl = 'https://pay.example.com';
const servers = ['eventstore', 'postgres', 'redis', 'proxy'];
let home: string;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'pesapost-certificates-'));
  await makeCertificates(home, baseUrl);
});
afterAll(() => rm(home, { recursive: true, force: true }));

const files = (): readonly string[] =>
  readdirSync(home, { recursive: true, encoding: 'utf8' })
    .filter((name) => statSync(join(home, name)).isFile())
    .sort();
const contents = () => files().map((name) => readFileSync(join(home, name), 'latin1'));
const read = (file: string) => new X509Certificate(readFileSync(file));

it.each([
  ['eventstore', 'eventstore'],
  ['postgres', 'postgres'],
  ['redis', 'redis'],
  ['proxy', 'pay.example.com'],
])('%s has a certificate of the private authority for its own name', (server, name) => {
  const { authority, certificate, key } = composeCertificate(home, server);
  const found = read(certificate);
  expect(found.verify(read(authority).publicKey)).toBe(true);
  expect(found.checkIssued(read(authority))).toBe(true);
  expect(found.checkHost(name)).toBe(name);
  expect(found.ca).toBe(false);
  expect(found.checkHost('other.example.com')).toBeUndefined();
  expect(statSync(key).mode & 0o777).toBe(0o400);
});

it('keeps no key except those of the servers, and the proxy’s file is for its user alone', () => {
  expect(files().filter((name) => !name.endsWith('.crt'))).toEqual(
    [...servers.map((name) => `${name}/server.key`), 'proxy/pesapost.pem'].sort(),
  );
  expect(statSync(join(home, 'proxy/pesapost.pem')).mode & 0o777).toBe(0o400);
});

it('changes nothing at the next start, and says if the proxy needs another name', async () => {
  const before = contents();
  expect(await makeCertificates(home, baseUrl)).toMatch(/^notAfter=.*\n$/);
  expect(await makeCertificates(home, 'https://other.example.com')).toContain(
    'does not name other.example.com: run "docker compose run --rm certificates renew"',
  );
  expect(contents()).toEqual(before);
});

it('makes new ones if it is asked to, or if the first start was cut off', async () => {
  const before = contents();
  await makeCertificates(home, baseUrl, 'renew');
  const renewed = contents();
  expect(renewed.filter((content) => before.includes(content))).toEqual([]);
  rmSync(composeCertificate(home, 'proxy').authority);
  await makeCertificates(home, 'https://192.0.2.7:443/');
  expect(read(composeCertificate(home, 'proxy').certificate).checkIP('192.0.2.7')).toBe(
    '192.0.2.7',
  );
});

it('refuses an address without TLS', async () => {
  await expect(makeCertificates(home, 'http://pay.example.com')).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^BASE_URL: must begin with https:/) as unknown,
  });
});
