import { describe, expect, it } from '@jest/globals';
import { globSync, readFileSync } from 'node:fs';
import { eventTypes, eventTypesBySubject } from './index.js';
import { unite } from './unite.js';

const upcast = { 1: (stored: { data: object; metadata: object }) => stored } as never;

describe('the registry of event types', () => {
  it('has every type of every subject', () => {
    for (const types of Object.values(eventTypesBySubject))
      expect(Object.keys(eventTypes)).toEqual(expect.arrayContaining(Object.keys(types)));
  });

  it('names every table that a subject exports, or one that includes it', () => {
    const registry = readFileSync('libs/domain/event-types/src/index.ts', 'utf8');
    const sources = globSync('libs/domain/*/src/**/*.ts').map((file) => readFileSync(file, 'utf8'));
    const namesOf = (pattern: RegExp) =>
      sources.flatMap((source) => [...source.matchAll(pattern)].map(([, name = '']) => name));
    const tables = namesOf(/^export const (\w+EventTypes) =/gm);
    const included = new Set(namesOf(/^ {2}\.\.\.(\w+EventTypes),$/gm));
    expect(tables.length).toBeGreaterThan(10);
    expect(
      tables.filter((name) => !included.has(name) && !new RegExp(`\\b${name}\\b`).test(registry)),
    ).toEqual([]);
  });

  it('lets two subjects share a type that both define alike', () => {
    const shared = { Shared: { version: 2, upcast } };
    expect(unite({ one: shared, other: { Shared: { version: 2, upcast } } })).toEqual(shared);
  });

  it.each([
    ['another version', { Shared: { version: 1 } }],
    ['another upcaster', { Shared: { version: 2, upcast: { 1: () => upcast } } }],
    ['no upcaster', { Shared: { version: 2 } }],
  ])('refuses a type to which another subject gives %s', (_, other) => {
    expect(() => unite({ one: { Shared: { version: 2, upcast } }, other })).toThrow(
      'other defines event Shared differently from another subject',
    );
  });
});
