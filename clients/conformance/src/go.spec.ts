import { packageDirectory } from '#infra/runtime';
import { errorKinds } from '#sdk';
import { describe, expect, it } from '@jest/globals';
import { inGo } from './go.js';

const client = packageDirectory('clients/go');
const driver = packageDirectory('clients/conformance/drivers/go');
const samples = packageDirectory('clients/samples/go');

describe('the Go client', () => {
  // The race detector needs a C compiler, and is compiled itself on its first run.
  it('passes its own tests (SDK-24)', async () => {
    const hasC = (await inGo(client, 'go', 'env', 'CGO_ENABLED')).trim() === '1';
    const race = hasC && (await inGo(client, 'gcc', '--version').catch(() => '')) !== '';
    const words = ['-count=1', '-timeout=150s', ...(race ? ['-race'] : [])];
    expect(await inGo(client, 'go', 'test', ...words, '.')).toMatch(/^ok\s/m);
  }, 180_000);

  it('has the same error codes and kinds as the TypeScript client (SDK-10)', async () => {
    const printed = await inGo(client, packageDirectory('dist/clients/go-driver'), 'error-kinds');
    expect(JSON.parse(printed)).toEqual(errorKinds);
  });

  it.each([client, driver, samples])('is formatted and vetted: %s', async (folder) => {
    expect(await inGo(folder, 'gofmt', '-l', '.')).toBe('');
    await inGo(folder, 'go', 'vet', './...');
  });

  // Its own tests find each exported name that has no comment.
  it('has an API reference, which go doc prints', async () => {
    const reference = await inGo(client, 'go', 'doc', '-all');
    expect(reference).toContain('func New(options Options) (*Client, error)');
  });

  it('needs only the standard library of Go 1.19 (SDK-24)', async () => {
    const { Go, Require } = JSON.parse(await inGo(client, 'go', 'mod', 'edit', '-json')) as {
      Go: string;
      Require: unknown;
    };
    expect([Go, Require]).toEqual(['1.19', null]);
  });
});
