import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type RecordedEvent } from '#domain/event-sourcing';
import { type Instant } from '#domain/kernel';
import { type LedgerAccount } from '#domain/ledger';
import { leafHash, leafText, linkHash, type Posting, postingOf, type Sha256 } from './index.js';

const sha256: Sha256 = (data) => createHash('sha256').update(data).digest();
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

const posting: Posting = {
  merchantId: 'm-1',
  mode: 'demo',
  currency: 'KES',
  id: '0199c1f0-0000-7000-8000-000000000001',
  type: 'WalletPosted',
  version: 1,
  stream: 'collection-demo:m-1:INV-1',
  revision: 3n,
  recordedAt: '2026-01-02T03:04:05.678Z' as Instant,
  legs: [
    { account: 'rail-clearing:mpesa', amountMinor: -10_000n },
    { account: 'wallet:1001', amountMinor: 9_850n },
    { account: 'fees', amountMinor: 150n },
  ],
  requestCommitment: 'aa',
  railCommitment: 'bb',
};

/** RFC 8785 for objects of texts, whole numbers and lists: members in the order of their names, without spaces. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join(',')}}`;
}

/** Characters that JSON must escape, characters that it need not escape, and half a surrogate pair. */
const units = ['a', '"', '\\', '\n', '\u0001', '\u007f', '/', 'é', '\u2028', '😀', '\ud800'];

describe('a leaf', () => {
  it('is the reference’s own example', () => {
    expect(leafText(posting)).toBe(
      '{"currency":"KES","id":"0199c1f0-0000-7000-8000-000000000001","legs":[' +
        '{"account":"rail-clearing:mpesa","amountMinor":"-10000"},' +
        '{"account":"wallet:1001","amountMinor":"9850"},{"account":"fees","amountMinor":"150"}],' +
        '"merchantId":"m-1","mode":"demo","railCommitment":"bb","recordedAt":"2026-01-02T03:04:05.678Z",' +
        '"requestCommitment":"aa","revision":"3","stream":"collection-demo:m-1:INV-1",' +
        '"type":"WalletPosted","version":1}',
    );
    expect(hex(leafHash(sha256, leafText(posting)))).toBe(
      'fb1b4362f0a80d20febf8dca8782a8ec054b776cdc7ae78866fb78f6c8a70941',
    );
  });

  it('is canonical JSON for any text in it', () => {
    const text = fc.string({ unit: fc.constantFrom(...units), maxLength: 8 });
    const postings = fc.record({
      merchantId: text,
      mode: fc.constantFrom('live', 'demo'),
      currency: text,
      id: text,
      type: text,
      stream: text,
      recordedAt: text.map((value) => value as Instant),
      version: fc.integer({ min: 1 }),
      revision: fc.bigInt({ min: 0n }),
      legs: fc.array(
        fc.record({ account: text.map((a) => a as LedgerAccount), amountMinor: fc.bigInt() }),
        { maxLength: 4 },
      ),
    });
    const commitments = fc.record(
      { requestCommitment: text, railCommitment: text },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(postings, commitments, (bare, given) => {
        const all = { ...bare, ...given } as Posting;
        const plain = {
          ...all,
          revision: all.revision.toString(),
          legs: all.legs.map(({ account, amountMinor }) => ({
            account,
            amountMinor: amountMinor.toString(),
          })),
        };
        expect(leafText(all)).toBe(canonical(plain));
      }),
      { numRuns: 40 },
    );
  });
});

describe('the content that a posting binds', () => {
  const place = { merchantId: 'm-1', mode: 'demo', currency: 'KES' } as const;
  const event = (type: string, data: object, commitment?: string): RecordedEvent => ({
    type,
    data,
    id: 'i',
    stream: 's',
    revision: 1n,
    position: 99n,
    recordedAt: posting.recordedAt,
    metadata: {
      v: 1,
      correlationId: 'c',
      actor: { kind: 'rail', id: 'mpesa' },
      ...(commitment === undefined ? {} : { commitment }),
    },
  });

  it('has no log position, and the metadata’s commitment if the event has none of its own', () => {
    const bound = postingOf(event('SuspensePosted', { legs: posting.legs }, 'cc'), place);
    expect(bound).toEqual({
      ...place,
      id: 'i',
      type: 'SuspensePosted',
      version: 1,
      stream: 's',
      revision: 1n,
      recordedAt: posting.recordedAt,
      legs: posting.legs,
      railCommitment: 'cc',
    });
    const own = { legs: posting.legs, requestCommitment: 'aa', railCommitment: 'bb' };
    expect(postingOf(event('WalletPosted', own, 'cc'), place)).toMatchObject({
      requestCommitment: 'aa',
      railCommitment: 'bb',
    });
  });

  it('is undefined if nothing is posted', () => {
    expect(postingOf(event('RailDeclined', {}), place)).toBeUndefined();
    expect(postingOf(event('CorrectionProposed', { legs: posting.legs }), place)).toBeUndefined();
  });
});

describe('a link', () => {
  const leaf = leafHash(sha256, 'x');
  const [leg] = posting.legs as [Posting['legs'][0]];
  it('is a hash over the one before it, the leaf and the leg', () => {
    const first = linkHash(sha256, undefined, leaf, leg);
    const text = Buffer.from('{"account":"rail-clearing:mpesa","amountMinor":"-10000"}');
    const bytes = (previous: Uint8Array) => Buffer.concat([Buffer.of(2), previous, leaf, text]);
    expect(hex(first)).toBe(hex(sha256(bytes(Buffer.alloc(32)))));
    expect(hex(linkHash(sha256, first, leaf, leg))).toBe(hex(sha256(bytes(first))));
  });
});
