import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { loadSettings, readEventStoreUrl } from '#infra/runtime';

const root = new URL('../../', import.meta.url).pathname;
const files = [
  ...['README.md', 'CONTRIBUTING.md', 'docker-compose.yml', '.env.example'],
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
];
const settingOf = {
  esdb: 'EVENTSTORE_URL',
  'esdb+discover': 'EVENTSTORE_URL',
  kurrentdb: 'EVENTSTORE_URL',
  'kurrentdb+discover': 'EVENTSTORE_URL',
  postgres: 'DATABASE_URL',
  postgresql: 'DATABASE_URL',
  redis: 'REDIS_URL',
  rediss: 'REDIS_URL',
} as const;
const pattern = new RegExp(
  `\\b(${Object.keys(settingOf).join('|').replaceAll('+', '\\+')})://[^\\s'"\`)]+`,
  'g',
);

/** Every connection string that a reader may copy; one that ends in … shows only the scheme. */
const shown = files.flatMap((file) =>
  [
    ...readFileSync(join(root, file), 'utf8')
      .replace(/\$\{[^}]*\}/g, 'x')
      .matchAll(pattern),
  ]
    .map(([text, scheme]) => ({ file, text, name: settingOf[scheme as keyof typeof settingOf] }))
    .filter(({ text }) => !/:\/\/…/.test(text)),
);

it('there are connection strings of every store in the docs', () => {
  expect(new Set(shown.map(({ name }) => name)).size).toBe(3);
});

it.each(shown)('$text of $file passes the settings and is understood', ({ text, name }) => {
  const settings = loadSettings({
    [name]: text,
    MASTER_KEY: `k1:${Buffer.alloc(32, 1).toString('base64')}`,
  });
  const { eventstoreUrl } = settings;
  if (eventstoreUrl !== undefined)
    expect(readEventStoreUrl(eventstoreUrl)).toMatchObject({ warnings: [] });
});
