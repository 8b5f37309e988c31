import { beforeEach, describe, expect, it } from '@jest/globals';
import { type EvidenceEvent, evidenceStream } from '#domain/evidence';
import { instantFromMs } from '#domain/kernel';
import { Copy } from '../test/copy.js';

const dayMs = 86_400_000;

let copy: Copy;
beforeEach(async () => {
  copy = await Copy.of(1, 2);
});

/** The faults that the check reports for events, without those that appear because this spec adds events. */
async function said(): Promise<string[]> {
  const { named } = await copy.check(50);
  return named.map(({ stream, tells }) => `${stream ?? ''}: ${tells}`);
}

describe('a message without its key', () => {
  const gone = 'the key of its message is gone, but no erasure is recorded';
  let stream: string;
  let phoneHmac: string;
  let begunMs: number;

  /** One statement in the records does the same. */
  beforeEach(() => {
    const intent = copy.log.records.find(({ type }) => type === 'CollectionIntentRecorded');
    if (!intent) throw new Error('the copy has no collection');
    ({ stream, createdMs: begunMs } = intent);
    ({ phoneHmac } = JSON.parse(intent.data.toString()) as { phoneHmac: string });
    for (const row of copy.messages.rows)
      if (row.stream === stream) Object.assign(row, { ownKey: undefined, isErased: true });
  });

  function erase(of: string, atMs: number): void {
    const data = { phoneHmac: of, streams: 1, messages: 3, digest: '00' };
    const revision = BigInt(
      copy.log.records.filter((record) => record.stream === evidenceStream).length,
    );
    copy.log.add<EvidenceEvent>({
      id: `0199c1f0-0000-7000-8000-00000000000${revision}`,
      type: 'EvidenceErased',
      data,
      stream: evidenceStream,
      revision,
      recordedAt: instantFromMs(atMs),
      position: (copy.log.records.at(-1)?.position ?? 0n) + 100n,
      metadata: { v: 1, correlationId: 'c', actor: { kind: 'operator', id: 'amina' } },
    });
  }

  it('is a fault, even if its row says that it was erased', async () => {
    expect(new Set(await said())).toEqual(new Set([`${stream}: ${gone}`]));
    erase('ff'.repeat(32), begunMs + 1000);
    expect(await said()).toContain(`${stream}: ${gone}`);
  });

  it('is no fault if history says that its customer was erased', async () => {
    erase('ff'.repeat(32), begunMs + 500);
    erase(phoneHmac, begunMs + 1000);
    expect(await said()).toEqual([]);
    expect((await copy.check()).evidence.sealed).toBeGreaterThan(0);
  });

  it('is a fault if its customer was erased long before the collection began', async () => {
    erase(phoneHmac, begunMs - dayMs - 1);
    expect(await said()).toContain(`${stream}: ${gone}`);
    erase(phoneHmac, begunMs - dayMs);
    expect(await said()).toEqual([]);
  });
});

describe('an event that always carries evidence', () => {
  it.each(['CollectionIntentRecorded', 'RailConfirmed'])(
    'is a fault without it: %s',
    async (type) => {
      const record = copy.log.records.find((of) => of.type === type);
      if (!record) throw new Error(`the copy has no ${type}`);
      const {
        evidence: _,
        commitment: __,
        ...metadata
      } = JSON.parse(record.metadata.toString()) as Record<string, unknown>;
      record.metadata = Buffer.from(JSON.stringify(metadata));
      expect(await said()).toContain(`${record.stream}: it carries no evidence`);
    },
  );

  it('may lack it if its source is no callback, or its edge is not V4', async () => {
    for (const record of copy.log.records) {
      if (record.type !== 'RailConfirmed' && record.type !== 'CollectionIntentRecorded') continue;
      const text = record.data.toString();
      record.data = Buffer.from(
        text
          .replace('"by":"callback"', '"by":"operator"')
          .replace('"origin":"v4"', '"origin":"v3"'),
      );
      const {
        evidence: _,
        commitment: __,
        ...metadata
      } = JSON.parse(record.metadata.toString()) as Record<string, unknown>;
      record.metadata = Buffer.from(JSON.stringify(metadata));
    }
    expect((await said()).filter((line) => line.includes('evidence'))).toEqual([]);
  });
});
