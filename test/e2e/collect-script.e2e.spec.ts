import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageDirectory } from '#infra/runtime';
import { freePort, inheritedEnvironment, rsaKeys } from '#testing';
import { afterEach, beforeEach, expect, it } from '@jest/globals';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pesapost-collect-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

function collect() {
  return spawnSync(process.execPath, [packageDirectory('scripts/collect.mjs')], {
    env: { ...inheritedEnvironment(), DATA_DIR: folder },
    encoding: 'utf8',
    timeout: 60_000,
  });
}

it('says in a line that the service was never started', () => {
  const { status, stderr } = collect();
  expect([status, stderr]).toEqual([
    1,
    expect.stringMatching(/^[^\n]+demo\.json cannot be read: run npm start first\.[^\n]*\n$/),
  ]);
});

it('says in a line that the service does not answer', async () => {
  const base_url = `http://127.0.0.1:${await freePort()}`;
  const v4 = { client_id: 'c', client_secret: 's', private_key_pem: rsaKeys().privateKeyPem };
  writeFileSync(join(folder, 'demo.json'), JSON.stringify({ base_url, v4 }));
  const { status, stderr } = collect();
  expect([status, stderr]).toEqual([
    1,
    `${base_url} does not answer (ECONNREFUSED): does npm start run?\n`,
  ]);
});
