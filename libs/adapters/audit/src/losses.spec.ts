import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  type Loss,
  LossCollector,
  type LossEvent,
  lossesStream,
  lossListStream,
} from '#domain/losses';
import { instantFromMs } from '#domain/kernel';
import { sha256Hex } from '#shared/signing';
import { Copy } from '../test/copy.js';

const proposer = 'asha';

let copy: Copy;
beforeEach(async () => {
  copy = await Copy.of(1, 3);
});

let added = 0;
function add(stream: string, event: LossEvent): void {
  const { records } = copy.log;
  copy.log.add<LossEvent>({
    ...event,
    id: `0199c1f0-0000-7000-8000-0000000001${String((added += 1)).padStart(2, '0')}`,
    stream,
    revision: BigInt(records.filter((record) => record.stream === stream).length),
    recordedAt: instantFromMs((records.at(-1)?.createdMs ?? 0) + 1000),
    position: (records.at(-1)?.position ?? 0n) + 100n,
    metadata: { v: 1, correlationId: 'c', actor: { kind: 'operator', id: proposer } },
  });
}

/** Writes the events of an acceptance. */
function accept(ids: readonly string[], { confirmedBy = 'joseph', list = 'l-1' } = {}): void {
  const collector = new LossCollector(sha256Hex);
  const everywhere = { position: 0n, lastPosition: 10n ** 12n };
  const of = { kind: 'messages', recordedAt: instantFromMs(0), ...everywhere } as const;
  const parts = ids.flatMap((id) => collector.add({ ...of, id } satisfies Loss) ?? []);
  for (const data of [...parts, ...collector.finish()])
    add(lossListStream(list), { type: 'LossesListed', data });
  const { summary } = collector;
  if (!summary) throw new Error('nothing is accepted');
  const data = { ...summary, list, proposedBy: proposer, confirmedBy };
  add(lossesStream, { type: 'LossesAccepted', data });
}

/** Deletes the messages of a collection from the records. */
function lose(stream: string): readonly string[] {
  const gone = copy.messages.rows.filter((row) => row.stream === stream);
  copy.messages.rows = copy.messages.rows.filter((row) => row.stream !== stream);
  return gone.map(({ id }) => id);
}

const streams = () => [...new Set(copy.messages.rows.map(({ stream }) => stream))];

async function said(): Promise<readonly string[]> {
  const { named } = await copy.check(50);
  return [...new Set(named.map(({ stream, tells }) => `${stream ?? ''}: ${tells}`))];
}

const missing = 'the message that it names is not in the records';

describe('messages that a restore lost (AUD-32)', () => {
  it('are faults until two admins accept them, and are then counted apart', async () => {
    const [stream = ''] = streams();
    const ids = lose(stream);
    expect(await said()).toEqual([`${stream}: ${missing}`]);
    const before = await copy.check();
    accept(ids);
    const after = await copy.check();
    expect([before.evidence.lost, after.faults]).toEqual([0, 0]);
    expect(after.evidence.lost).toBe(before.faults);
  });

  it('hide no message that is lost later', async () => {
    const [first = '', second = ''] = streams();
    accept(lose(first));
    lose(second);
    expect(await said()).toEqual([`${second}: ${missing}`]);
  });

  it('are checked as any other if they are there again', async () => {
    const [stream = ''] = streams();
    const rows = copy.messages.rows.filter((row) => row.stream === stream);
    accept(rows.map(({ id }) => id));
    const report = await copy.check();
    expect([report.faults, report.evidence.lost]).toEqual([0, 0]);
    expect(report.evidence.messages).toBeGreaterThan(0);
    for (const row of rows) Object.assign(row, { ciphertext: Buffer.from('other bytes') });
    expect((await said()).length).toBeGreaterThan(0);
  });

  it('are faults if the list changed after it was accepted, or one person accepted it', async () => {
    const [first = '', second = ''] = streams();
    const ids = lose(first);
    accept(ids);
    add(lossListStream('l-1'), {
      type: 'LossesListed',
      data: { kind: 'messages', ids: [...lose(second)].sort() },
    });
    const other = 'it is not the list of losses that was accepted';
    expect(new Set(await said())).toEqual(
      new Set([
        `${lossListStream('l-1')}: ${other}`,
        `${first}: ${missing}`,
        `${second}: ${missing}`,
      ]),
    );
    accept(ids, { list: 'l-2', confirmedBy: proposer });
    expect(await said()).toContain(`${lossListStream('l-2')}: ${other}`);
  });
});
