import { Clock } from '#domain/kernel';
import { listTokenKeys, type RewrapResult, rewrapTable } from '#records/keys';
import { Database } from '#infra/postgres';
import { Keyring } from '#shared/signing';
import { type INestApplicationContext } from '@nestjs/common';
import { withApp } from '../../app.js';
import { loadedKeyring } from '../../keyring.js';
import { endProgress, printJson, printLines, showProgress } from '../../print.js';
import { Refused } from '../../refused.js';
import { table } from '../../table.js';
import { plainCommand } from '../plain-command.js';
import { sealedTables } from './key-uses.js';

/** A running API notes its first key every minute. */
const inUseMs = 180_000;

export const rewrap = plainCommand(
  'rewrap',
  'encrypts the records again under the first key, so that an old key can be removed; safe to interrupt and repeat',
  'keys rewrap',
).action(async ({ json }: { readonly json?: true }) => {
  const { results, others } = await withApp(async (app) => {
    const others = await firstElsewhere(app);
    return { results: await rewrapAll(app), others };
  });
  endProgress();
  if (json) printJson({ tables: results.map(jsonOf), still_first_elsewhere: others });
  else printLines(textOf(results, others));
  const problems = results.flatMap(problemsOf);
  if (problems.length > 0) throw new Refused(problems);
});

/**
 * Refuses to encrypt with a key that the service does not have: the service could no longer read its secrets.
 * @returns old keys with which some API still makes callback URLs
 */
async function firstElsewhere(app: INestApplicationContext): Promise<readonly string[]> {
  const { currentKeyId } = app.get(Keyring);
  const nowMs = app.get<Clock>(Clock).nowMs();
  const noted = await listTokenKeys(app.get(Database));
  // A key that only a command used is no key of the service yet.
  const used = noted.filter(({ lastUsedAt }) => lastUsedAt.getTime() > 0);
  if (!used.some(({ keyId }) => keyId === currentKeyId))
    throw new Refused([
      `key ${currentKeyId} was never first in a running API. Give it to every process first, behind the old one, ` +
        'then in front of it (docs/how-to/rotate-the-master-key.md)',
    ]);
  return used
    .filter(
      ({ keyId, lastUsedAt }) => keyId !== currentKeyId && nowMs - lastUsedAt.getTime() < inUseMs,
    )
    .map(({ keyId }) => keyId);
}

async function rewrapAll(app: INestApplicationContext): Promise<readonly RewrapResult[]> {
  const database = app.get(Database);
  const keyring = await loadedKeyring(app);
  const results: RewrapResult[] = [];
  for (const sealed of sealedTables)
    results.push(
      await rewrapTable(database, keyring, {
        table: sealed,
        onProgress: ({ table: name, done, of }) => {
          showProgress(`${name}: ${done} of ${of}`);
        },
      }),
    );
  return results;
}

function jsonOf({ table: name, rewrapped, unopenable, ofUnknownKeys }: RewrapResult): object {
  return { table: name, rewrapped, unopenable, of_unknown_keys: ofUnknownKeys };
}

function textOf(results: readonly RewrapResult[], others: readonly string[]): readonly string[] {
  return [
    ...table(
      ['table', 'rewrapped'],
      results.map(({ table: name, rewrapped }) => [name, `${rewrapped}`]),
    ),
    ...others.map(
      (keyId) =>
        `${keyId} was first in a running API minutes ago: rewrap again once none has it in front`,
    ),
    'uses of old keys: npx pesapost keys status',
  ];
}

function problemsOf({ table: name, unopenable, ofUnknownKeys }: RewrapResult): readonly string[] {
  return [
    ...(unopenable.length === 0
      ? []
      : [
          `${name}: ${unopenable.length} damaged, not opened by the key they name: ${unopenable.slice(0, 10).join(', ')}`,
        ]),
    ...(ofUnknownKeys === 0
      ? []
      : [
          `${name}: ${ofUnknownKeys} under a key that is not in MASTER_KEY; put it back, behind the others`,
        ]),
  ];
}
