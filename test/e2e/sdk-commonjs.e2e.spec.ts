import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageDirectory } from '#infra/runtime';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { command, installSdk, type InstalledSdk, oldestNode } from './sdk-package.js';

let sdk: InstalledSdk;
let project: string;
beforeAll(async () => {
  sdk = await installSdk();
  // A package without "type", as Nest makes it.
  project = join(sdk.directory, 'commonjs');
  mkdirSync(join(project, 'node_modules/@types'), { recursive: true });
  writeFileSync(join(project, 'package.json'), '{"private":true}');
  for (const name of ['node', '../undici-types'])
    symlinkSync(
      packageDirectory(`node_modules/@types/${name}`),
      join(project, 'node_modules/@types', name),
    );
  writeFileSync(join(project, 'check.ts'), program);
});
afterAll(() => sdk.remove());

/** A first call whose answers are written here: the token, an item, a refusal. */
const program = `
import { PesaPost, PesaPostError, signedFetch, type Transaction } from '@pesapost/sdk';
import { generateKeyPairSync } from 'node:crypto';
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const answers = [
  Response.json({ access_token: 't', expires_in: 3600 }),
  Response.json({ reference: 'INV-1', amount_minor: 25000 }),
  Response.json({ error: 'not_found' }, { status: 404 }),
];
const client = new PesaPost({
  baseUrl: 'https://pay.example',
  clientId: 'id',
  clientSecret: 'secret',
  privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  fetch: async () => answers.shift() ?? Response.error(),
});
async function main(): Promise<void> {
  const item: Transaction = await client.collections.get('INV-1');
  const failed: unknown = await client.collections.get('NONE').catch((error: unknown) => error);
  console.log(item.amount_minor, failed instanceof PesaPostError, typeof signedFetch);
}
void main();
`;

const strict = ['--strict', '--target', 'es2022', '--types', 'node', '--outDir', 'out'];
const tsc = packageDirectory('node_modules/typescript/bin/tsc');
const compile = (...options: string[]) =>
  command(process.execPath, [tsc, ...strict, ...options, 'check.ts'], project);
/** Node without its own way to require an ES module, which versions before 20.19 do not have. */
const run = (node: string, ...words: string[]) =>
  command(node, ['--no-experimental-require-module', ...words], project);

describe('the SDK in a CommonJS project (SDK-21)', () => {
  it.each([
    ['node', ['--module', 'commonjs', '--moduleResolution', 'node', '--ignoreDeprecations', '6.0']],
    ['node16', ['--module', 'node16']],
    ['nodenext', ['--module', 'nodenext']],
    ['bundler', ['--module', 'commonjs', '--moduleResolution', 'bundler']],
  ])('type-checks and runs with moduleResolution %s', async (_, options) => {
    expect(await compile(...options)).toBe('');
    for (const node of [oldestNode(), process.execPath])
      expect(await run(node, 'out/check.js')).toBe('25000n true function\n');
  });

  it('is the same to require and import in one process, and either one recognises its errors', async () => {
    const script = `
      const required = require('@pesapost/sdk');
      import('@pesapost/sdk').then((imported) => {
        const names = (module) => Object.keys(module).sort().join();
        const options = { baseUrl: 'https://pay.example', clientId: 'id', clientSecret: 'secret' };
        const failing = async () => { throw new TypeError('fetch failed'); };
        const { privateKey } = require('node:crypto').generateKeyPairSync('rsa', { modulusLength: 2048 });
        const pem = privateKey.export({ type: 'pkcs8', format: 'pem' });
        const client = new required.PesaPost({ ...options, privateKey: pem, fetch: failing, retries: { max: 0 } });
        return client.collections.get('INV-1').catch((error) => {
          const caught = error instanceof imported.PesaPostError;
          const other = new TypeError('x') instanceof imported.PesaPostError;
          console.log(names(required) === names(imported), required === imported, caught, other);
        });
      });`;
    for (const node of [oldestNode(), process.execPath])
      expect(await run(node, '-e', script)).toBe('true false true false\n');
  });
});
