import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { packageDirectory } from '#infra/runtime';
import { inheritedEnvironment, type Service, startService } from '#testing';
import { afterAll, beforeAll, expect, it } from '@jest/globals';

let service: Service;
beforeAll(async () => {
  service = await startService({ WEBHOOK_ALLOW_PRIVATE: 'on' });
});
afterAll(() => service.stop(), 60_000);

it('docs/how-to/first-merchant.md works exactly as written', async () => {
  const page = readFileSync(packageDirectory('docs/how-to/first-merchant.md'), 'utf8');
  const blocks = [...page.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, text = '']) => text);
  expect(blocks.length).toBeGreaterThan(7);
  const script = blocks.join('\n').replace('http://127.0.0.1:8080', service.baseUrl);
  expect(script).toContain(service.baseUrl);
  const { HOME = '' } = process.env;
  const { stdout } = await promisify(execFile)('sh', ['-eu', '-c', script], {
    cwd: packageDirectory(),
    env: { ...inheritedEnvironment(), HOME, ...service.env },
    timeout: 300_000,
  });
  for (const words of [
    'same_holder',
    'collection.completed',
    'payout.completed',
    'PayoutApproved',
    'the signature verifies',
    'KES 144.75',
  ])
    expect(stdout).toContain(words);
  expect(stdout).not.toContain('the signature does NOT verify');
}, 330_000);
