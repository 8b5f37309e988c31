import { eventTypesBySubject } from '#domain/event-types';
import { EventCodec } from '#infra/eventstoredb';
import { describe, expect, it } from '@jest/globals';
import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';

/** An event exactly as the store keeps it. Files are named `<type>.v<version>.json` and are never changed. */
interface Sample {
  readonly type: string;
  readonly data: Record<string, unknown>;
  readonly metadata: Record<string, unknown>;
}

const files = globSync('libs/domain/*/src/samples/*.json', { cwd: process.cwd() }).sort();

const read = (file: string) => JSON.parse(readFileSync(file, 'utf8')) as Sample;

/** Every version that was ever written, by subject. */
const versions = Object.entries(eventTypesBySubject).flatMap(([subject, types]) =>
  Object.entries(types).flatMap(([type, { version }]) =>
    Array.from({ length: version }, (_, index) => ({ subject, type, version: index + 1 })),
  ),
);

describe('stored samples of events', () => {
  it.each(versions)('$subject: $type version $version has one', ({ subject, type, version }) => {
    expect(files).toContain(`libs/domain/${subject}/src/samples/${type}.v${version}.json`);
  });

  it.each(files)('%s is of a type and version that its subject knows', (file) => {
    const subject = file.split('/')[2] ?? '';
    const { type, metadata } = read(file);
    expect(basename(file)).toBe(`${type}.v${String(metadata['v'])}.json`);
    expect(Object.keys(eventTypesBySubject[subject] ?? {})).toContain(type);
    expect(metadata['v']).toBeLessThanOrEqual(eventTypesBySubject[subject]?.[type]?.version ?? 0);
  });

  it.each(files)('%s is read by this release, and written again to the same JSON', (file) => {
    const types = eventTypesBySubject[file.split('/')[2] ?? ''] ?? {};
    const codec = new EventCodec(types);
    const sample = read(file);
    const decoded = codec.fromStored(sample, 1n);
    expect(decoded.metadata.v).toBe(types[sample.type]?.version);
    const written = codec.toStored(decoded);
    if (sample.metadata['v'] === decoded.metadata.v)
      expect(JSON.stringify(written)).toBe(JSON.stringify(sample));
    // The result of an upcaster must itself be an event of the current version.
    expect(codec.toStored(codec.fromStored(written, 1n))).toEqual(written);
  });

  it.each(files)('%s gives away no phone number', (file) => {
    expect(readFileSync(file, 'utf8')).not.toMatch(/254[17]\d{8}/);
  });
});
