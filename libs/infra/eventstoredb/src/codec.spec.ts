import {
  type EventTypes,
  type NewEvent,
  type StoredForm,
  UnknownEventType,
  UnreadableEvent,
} from '#domain/event-sourcing';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { EventCodec } from './codec.js';
import { type StoredEvent } from './wire/read-response.js';

const actor = { kind: 'system', id: 'test' } as const;
const metadata = { v: 1, correlationId: 'c', actor };

const types: EventTypes = {
  Posted: { version: 1 },
  Renamed: {
    version: 3,
    upcast: {
      1: ({ data, metadata }) => ({ data: { ...data, second: 'two' }, metadata }),
      2: ({ data: { amount, ...rest }, metadata }) => ({
        data: { ...rest, amountMinor: amount },
        metadata,
      }),
    },
  },
  Gap: { version: 2 },
};
const codec = new EventCodec(types);

const newEvent = (data: object, overrides: Partial<NewEvent> = {}): NewEvent => ({
  id: '0190b6a0-0000-7000-8000-000000000001',
  event: { type: 'Posted', data },
  metadata,
  ...overrides,
});

const jsonBytes = (value: unknown): Buffer => Buffer.from(JSON.stringify(value), 'utf8');

/** Returns an event as a read delivers it: the bytes that were sent. */
const asRead = (type: string, { data, metadata }: StoredForm): StoredEvent => ({
  data: jsonBytes(data),
  metadata: jsonBytes(metadata),
  type,
  id: '0190b6a0-0000-7000-8000-000000000001',
  stream: 'collection-demo:m:r',
  revision: 4n,
  isJson: true,
  createdMs: Date.parse('2026-01-02T03:04:05.678Z'),
  position: { commit: 77n, prepare: 77n },
});

describe('amounts in events', () => {
  it('are decimal strings in the store and bigint in code, at any depth and size', () => {
    const leg = fc.record({ account: fc.string(), amountMinor: fc.bigInt() });
    const data = fc.record({
      amountMinor: fc.bigInt(),
      feeMinor: fc.bigInt(),
      legs: fc.array(leg),
      nested: fc.record({ deeper: fc.record({ requestedMinor: fc.bigInt() }) }),
    });
    fc.assert(
      fc.property(data, (sent) => {
        const { data: stored } = codec.toStored({ type: 'Posted', data: sent, metadata });
        expect(stored['amountMinor']).toBe(sent.amountMinor.toString());
        const read = codec.decode(asRead('Posted', { data: stored, metadata: { ...metadata } }));
        expect(read.data).toEqual(sent);
      }),
    );
  });

  it('leave other fields alone, digits or not', () => {
    const data = { basisPoints: 150, reference: '10000', minor: '7', receipt: '1Minor' };
    const read = codec.decode(asRead('Posted', { data, metadata: { ...metadata } }));
    expect(read.data).toEqual(data);
  });

  it('are refused before sending as a bigint under any other name, in data and in metadata', () => {
    expect(() => codec.encode(newEvent({ total: 1n }))).toThrow(/total is a bigint/);
    expect(() => codec.encode(newEvent({ legs: [{ sums: [1n] }] }))).toThrow(
      /legs\[0\]\.sums\[0\] is a bigint/,
    );
    const causationId = 1n as unknown as string;
    expect(() => codec.encode(newEvent({}, { metadata: { ...metadata, causationId } }))).toThrow(
      /metadata.causationId is a bigint/,
    );
  });

  it.each([1, '1', null, [1n]])('are refused before sending as anything but a bigint: %p', (x) => {
    expect(() => codec.encode(newEvent({ amountMinor: x }))).toThrow(TypeError);
  });

  it.each([1, '01', '1.0', '', '-0', null])(
    'are refused on reading if they are not canonical: %p',
    (x) => {
      const stored = { data: { amountMinor: x }, metadata: { ...metadata } };
      expect(() => codec.decode(asRead('Posted', stored))).toThrow(UnreadableEvent);
    },
  );
});

describe('a recorded event', () => {
  it('carries its place in the log and the time at which the store recorded it', () => {
    const read = codec.decode(asRead('Posted', { data: { a: 1 }, metadata: { ...metadata } }));
    expect(read).toEqual({
      type: 'Posted',
      data: { a: 1 },
      id: '0190b6a0-0000-7000-8000-000000000001',
      stream: 'collection-demo:m:r',
      revision: 4n,
      position: 77n,
      recordedAt: '2026-01-02T03:04:05.678Z',
      metadata,
    });
  });

  it('is upcast step by step from an old version, and reports the current version', () => {
    const stored = { data: { first: 'one', amount: '25000' }, metadata: { ...metadata } };
    const read = codec.decode(asRead('Renamed', stored));
    expect(read.data).toEqual({ first: 'one', second: 'two', amountMinor: 25000n });
    expect(read.metadata.v).toBe(3);
    const second = { data: { amount: '1' }, metadata: { ...metadata, v: 2 } };
    expect(codec.decode(asRead('Renamed', second)).data).toEqual({ amountMinor: 1n });
  });

  it('may be built by an upcaster from parts that it shares between events', () => {
    const shared = { amountMinor: '7' };
    const upcast = { 1: (stored: StoredForm) => ({ ...stored, data: { fee: shared } }) };
    const sharing = new EventCodec({ Shared: { version: 2, upcast } });
    const stored = asRead('Shared', { data: {}, metadata: { ...metadata } });
    for (let time = 0; time < 2; time += 1)
      expect(sharing.decode(stored).data).toEqual({ fee: { amountMinor: 7n } });
  });

  it('without a version is of version 1', () => {
    const read = codec.decode(asRead('Posted', { data: {}, metadata: { correlationId: 'c' } }));
    expect(read.metadata.v).toBe(1);
  });

  it.each([
    ['an unknown type', 'Never', 1],
    ['a name that every object has', 'constructor', 1],
    ['a version newer than known', 'Posted', 2],
    ['a version without an upcaster', 'Gap', 1],
    ['a version that is no whole number', 'Posted', 1.5],
    ['a version 0', 'Posted', 0],
    ['a version in words', 'Posted', '1'],
  ])('with %s stops the reader', (_, type, v) => {
    const read = () => codec.decode(asRead(type, { data: {}, metadata: { v } }));
    expect(read).toThrow(UnknownEventType);
    expect(read).toThrow(/position 77/);
  });

  it.each([
    ['bytes', { data: Buffer.from([1]), isJson: false }],
    ['JSON that says it is none', { isJson: false }],
    ['no JSON', { data: Buffer.from('{') }],
    ['empty', { data: Buffer.alloc(0) }],
    ['a text', { data: jsonBytes('x') }],
    ['a list', { data: jsonBytes([1]) }],
  ])(
    'is unreadable for every release if its data are %s, unless its version is unknown',
    (_, stored) => {
      const event = { ...asRead('Posted', { data: {}, metadata: {} }), ...stored };
      expect(() => codec.decode(event)).toThrow(UnreadableEvent);
      const newer = { ...asRead('Posted', { data: {}, metadata: { v: 2 } }), ...stored };
      expect(() => codec.decode(newer)).toThrow(UnknownEventType);
    },
  );

  it('stops the reader if its metadata are no JSON, and is of version 1 without metadata', () => {
    const event = asRead('Posted', { data: {}, metadata: {} });
    expect(() => codec.decode({ ...event, metadata: Buffer.from('{') })).toThrow(UnknownEventType);
    expect(codec.decode({ ...event, metadata: Buffer.alloc(0) }).metadata.v).toBe(1);
  });
});

describe('an event on its way to the store', () => {
  it('must be of a known type and of the version written now', () => {
    expect(() => codec.encode(newEvent({}, { event: { type: 'Never', data: {} } }))).toThrow(
      /missing from the event types/,
    );
    expect(() => codec.encode(newEvent({}, { event: { type: 'Renamed', data: {} } }))).toThrow(
      /written as version 3/,
    );
  });

  it('leaves fields without a value out', () => {
    const { data } = codec.toStored({ type: 'Posted', data: { a: undefined, b: 1 }, metadata });
    expect(Object.keys(data)).toEqual(['b']);
  });
});
