import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageDirectory } from '#infra/runtime';
import { errorKinds } from '#sdk';
import { describe, expect, it } from '@jest/globals';
import { inPhp } from './php.js';

const client = packageDirectory('clients/php');
const programs = ['clients/conformance/drivers/php', 'clients/samples/php'].map((folder) =>
  packageDirectory(folder),
);
const php = (...words: string[]) => inPhp(client, '/usr/bin/php', ...words);

/** The class of each schema of openapi.json. */
const answers = [
  ['Balance', 'Balance'],
  ['Collection', 'CreatedItem'],
  ['EventList', 'EventsPage'],
  ['ExpectedPayment', 'ExpectedPayment'],
  ['Payout', 'CreatedItem'],
  ['Payout', 'DecidedPayout'],
  ['PayoutBatch', 'DecidedPayoutBatch'],
  ['PayoutBatch', 'RequestedPayoutBatch'],
  ['PayoutBatchSummary', 'PayoutBatchSummary'],
  ['Receipt', 'Receipt'],
  ['Transaction', 'Transaction'],
  ['TransactionList', 'TransactionsPage'],
  ['WebhookEvent', 'Event'],
] as const;

describe('the PHP client', () => {
  it('passes its own tests (SDK-25)', async () => {
    const words = ['--no-configuration', '--do-not-cache-result', 'tests'];
    expect(await inPhp(client, 'phpunit', ...words)).toMatch(/\nOK \([1-9]\d+ tests, /);
  });

  it('has the same error codes and kinds as the TypeScript client (SDK-10)', async () => {
    const program = 'require "autoload.php"; echo json_encode(PesaPost\\ErrorKind::CODES);';
    expect(JSON.parse(await php('-r', program))).toEqual(errorKinds);
  });

  it.each(answers)('has the members of the schema %s in %s', async (schema, name) => {
    const document = JSON.parse(await readFile(packageDirectory('openapi.json'), 'utf8')) as {
      components: { schemas: Record<string, { properties: object }> };
    };
    const program = `require "autoload.php"; echo json_encode(new PesaPost\\Answer\\${name}(id: "", type: ""));`;
    const made = name === 'Event' ? program : program.replace('id: "", type: ""', '');
    const properties = Object.keys(JSON.parse(await php('-r', made)) as object);
    const members = Object.keys(document.components.schemas[schema]?.properties ?? {});
    expect(members.length).toBeGreaterThan(1);
    expect(properties).toEqual(expect.arrayContaining(members));
  });

  // The oldest version that it supports is Debian's, which `npm run test:clients` installs.
  it('needs only PHP 8.2 and three of its extensions (SDK-25)', async () => {
    const { require } = JSON.parse(await readFile(join(client, 'composer.json'), 'utf8')) as {
      require: unknown;
    };
    const extensions = { 'ext-curl': '*', 'ext-json': '*', 'ext-openssl': '*' };
    expect(require).toEqual({ 'php-64bit': '>=8.2', ...extensions });
    await inPhp(client, 'composer', 'validate', '--strict');
    const files = (await readdir(join(client, 'src'), { recursive: true })).filter((file) =>
      file.endsWith('.php'),
    );
    expect(files.length).toBeGreaterThan(30);
    for (const file of files) await php('-l', join('src', file));
  });

  it('is written as PSR-12 asks', async () => {
    // Debian's version of the tool takes "readonly class" for a statement.
    const words = ['--standard=PSR12', '--exclude=PSR1.Files.SideEffects', '--extensions=php'];
    expect(
      await inPhp(client, 'phpcs', ...words, 'autoload.php', 'src', 'tests', ...programs),
    ).toBe('');
  });

  it('has an API reference, which doxygen makes without a warning', async () => {
    const output = await mkdtemp(join(tmpdir(), 'pesapost-reference-'));
    try {
      const settings = await readFile(join(client, 'Doxyfile'), 'utf8');
      await writeFile(join(output, 'Doxyfile'), `${settings}\nOUTPUT_DIRECTORY = ${output}\n`);
      await inPhp(client, 'doxygen', join(output, 'Doxyfile'));
      const pages = await readdir(join(output, 'html'));
      for (const name of ['Client', 'ErrorKind', 'Answer_1_1Event', 'WebhookReceiver'])
        expect(pages).toContain(`classPesaPost_1_1${name}.html`);
    } finally {
      await rm(output, { recursive: true, force: true });
    }
  });
});
