import { spawnSync } from 'node:child_process';
import { createPrivateKey, createPublicKey } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageDirectory } from '#infra/runtime';
import { inheritedEnvironment, rsaKeys } from '#testing';
import { afterEach, beforeEach, expect, it } from '@jest/globals';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pesapost-demo-key-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const { privateKeyPem: pem } = rsaKeys();

function demoKey() {
  const main = packageDirectory('dist/apps/cli/src/main.js');
  return spawnSync(process.execPath, [main, 'demo', 'key', '--out', folder], {
    cwd: packageDirectory(),
    env: { ...inheritedEnvironment(), DATA_DIR: folder },
    encoding: 'utf8',
    timeout: 60_000,
  });
}

function writeDemo(): void {
  const v4 = {
    client_id: 'pp-1',
    client_secret: 's3cret',
    private_key_pem: pem,
    account_no: '42',
  };
  writeFileSync(join(folder, 'demo.json'), JSON.stringify({ base_url: 'http://127.0.0.1:1', v4 }));
}

it('the demo’s key pair is written for the shell, with what the shell has to know', () => {
  writeDemo();
  for (const time of ['first', 'once more']) {
    const { status, stdout } = demoKey();
    expect([time, status]).toEqual([time, 0]);
    expect(stdout).toContain(
      'BASE_URL=http://127.0.0.1:1\nCLIENT_ID=pp-1\nCLIENT_SECRET=s3cret\nACCOUNT_NO=42\n',
    );
  }
  const key = join(folder, 'merchant.key');
  expect(statSync(key).mode & 0o777).toBe(0o600);
  const publicKey = createPublicKey(createPrivateKey(readFileSync(key)));
  expect(readFileSync(join(folder, 'merchant.pub'), 'utf8')).toBe(
    publicKey.export({ type: 'spki', format: 'pem' }),
  );
});

it('a key of somebody’s own is not written over', () => {
  writeDemo();
  writeFileSync(join(folder, 'merchant.key'), 'mine');
  const { status, stderr } = demoKey();
  expect(status).toBe(1);
  expect(stderr).toMatch(/merchant\.key is there and holds something else: [^\n]+\n$/);
  expect(readFileSync(join(folder, 'merchant.key'), 'utf8')).toBe('mine');
});

it('without a demo merchant it says what to do', () => {
  const { status, stderr } = demoKey();
  expect(status).toBe(1);
  expect(stderr).toMatch(/demo\.json cannot be read: run npm start first[^\n]*\n$/);
});
