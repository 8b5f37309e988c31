import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageDirectory } from '#infra/runtime';
import { PesaPost } from '#sdk';
import { type Service, startService } from '#testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { command, installSdk, type InstalledSdk } from './sdk-package.js';

let service: Service;
let sdk: InstalledSdk;
beforeAll(async () => {
  [sdk, service] = await Promise.all([installSdk(), startService()]);
});
afterAll(async () => {
  await service.stop();
  await sdk.remove();
});

const generator = packageDirectory('node_modules/@hey-api/openapi-ts/bin/run.js');
const tsc = packageDirectory('node_modules/typescript/bin/tsc');

/** A merchant's program, which names only the generated client and the SDK's hook. */
const program = (credential: object) => `
import { signedFetch } from '@pesapost/sdk';
import { createCollection, listEvents } from './pesapost/index.js';
import { createClient } from './pesapost/client/index.js';

const { account_no, ...options } = ${JSON.stringify(credential)};
const client = createClient({ baseUrl: options.baseUrl, fetch: signedFetch(options) });
const body = {
  account_no,
  phone: '254712345678',
  amount_minor: 25_000,
  currency: 'KES',
  channel: 'mpesa',
  reference: 'GENERATED-1',
} as const;
const headers = { 'Idempotency-Key': 'generated-1' };
const created = await createCollection({ client, headers, body });
const events = await listEvents({ client, query: { after_sequence: 0, limit: 5 } });
const bad = await createCollection({ client, headers, body: { ...body, phone: '1' } });
console.log(created.data?.status, Array.isArray(events.data?.data), bad.error?.error);
const other = { client, headers: { 'Idempotency-Key': 'generated-2' } };
await createCollection({ ...other, body: { ...body, amount_minor: 9_900 } }).then(
  ({ data, error }) => console.log(data?.status, (error as { code?: string } | undefined)?.code),
);
`;

describe('a client that a generator makes of the served document (SDK-19, SDK-20)', () => {
  it('compiles, and makes a signed first collection through the SDK’s signing hook', async () => {
    const { accountNo, clientId, clientSecret, privateKeyPem } = service.merchant.credentials;
    const { baseUrl } = service;
    const credential = { baseUrl, clientId, clientSecret, privateKey: privateKeyPem };
    const file = (name: string) => join(sdk.directory, name);
    const document = await fetch(`${baseUrl}/openapi.clients.json`);
    writeFileSync(file('openapi.clients.json'), await document.text());
    const compilerOptions = { strict: true, module: 'nodenext', target: 'es2022', outDir: 'out' };
    const config = { compilerOptions: { ...compilerOptions, types: [] }, files: ['pay.ts'] };
    writeFileSync(file('tsconfig.json'), JSON.stringify(config));
    writeFileSync(file('pay.ts'), program({ ...credential, account_no: accountNo }));

    const run = (...words: string[]) => command(process.execPath, words, sdk.directory);
    await run(generator, '-i', 'openapi.clients.json', '-o', 'pesapost', '--silent');
    expect(await run(tsc, '--noEmitOnError')).toBe('');
    expect(await run('out/pay.js')).toBe(
      'pending true invalid_phone\nundefined different_collection\n',
    );
    const client = new PesaPost(credential);
    const settled = await client.collections.waitUntilSettled('GENERATED-1');
    expect(settled).toMatchObject({ status: 'completed', amount_minor: 25_000n });
  });
});
