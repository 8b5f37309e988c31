import {
  AcceptedLosses,
  type Loss,
  LossCollector,
  lossesStream,
  LossLists,
  lossListStream,
} from '#domain/losses';
import { sha256Hex } from '#shared/signing';
import { HandMadeLog, type History, ReadOnlyLog, threeCollections, useHistory } from '#testing';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { type VerifyReport, verifyViews } from './verify-views.js';

let history: History;
useHistory((begun) => {
  history = begun;
});

/** The log of the acceptances. */
let acceptances: HandMadeLog;
beforeEach(() => {
  acceptances = new HandMadeLog(Date.now());
});

const yearMs = 86_400_000 * 365;

/** Verifies, messages included. @returns the report, and the losses that it passed on */
async function verified(
  keptSinceMs = Date.now() - yearMs,
): Promise<{ report: VerifyReport; losses: Loss[] }> {
  const losses: Loss[] = [];
  const store = new ReadOnlyLog(acceptances);
  const report = await verifyViews({
    store: new ReadOnlyLog(history.log),
    database: history.database,
    maxNamed: 50,
    evidence: { keptSinceMs, nowMs: Date.now() },
    accepted: await AcceptedLosses.load(store, new LossLists(store, sha256Hex)),
    onLoss: (loss) => {
      losses.push(loss);
    },
  });
  return { report, losses };
}

function accept(losses: readonly Loss[], list = 'l-1'): void {
  const collector = new LossCollector(sha256Hex);
  const parts = losses.flatMap((loss) => collector.add(loss) ?? []);
  for (const data of [...parts, ...collector.finish()])
    acceptances.append(lossListStream(list), { type: 'LossesListed', data });
  const { summary } = collector;
  if (!summary) throw new Error('nothing is accepted');
  acceptances.append(lossesStream, {
    type: 'LossesAccepted',
    data: { ...summary, list, proposedBy: 'spec', confirmedBy: 'joseph' },
  });
}

const forget = (reference: string) =>
  history.tamper(`delete from records.idempotency_claims where reference = '${reference}'`);

/** Gives an event of each collection a message, which the records lack. */
function nameMessages(): readonly string[] {
  const intents = history.log.events.filter(({ type }) => type === 'CollectionIntentRecorded');
  return intents.map((event, index) => {
    const messageId = `0199c1f0-0000-7000-8000-00000000000${index}`;
    const evidence = { keyId: 'k', ciphertext: '', messageId };
    const metadata = { ...event.metadata, evidence, commitment: messageId };
    Object.assign(event, { metadata });
    return messageId;
  });
}

describe('messages and claims that a restore lost (AUD-32)', () => {
  it('are differences until they are accepted, and are then counted apart', async () => {
    await threeCollections(history);
    const ids = nameMessages();
    await forget('B');
    const before = await verified();
    expect(before.losses.map(({ kind }) => kind)).toEqual([
      ...['claims', 'messages', 'messages', 'messages'],
    ]);
    expect(before.losses.slice(1).map(({ id }) => id)).toEqual(ids);
    expect(before.report).toMatchObject({ differences: 4, claimsLost: 0, evidence: { lost: 0 } });
    accept(before.losses);
    const after = await verified();
    expect(after.losses).toEqual([]);
    expect(after.report).toMatchObject({
      differences: 0,
      claims: 3,
      claimsLost: 1,
      evidence: { compared: 3, lost: 3 },
    });
  });

  it('are not messages from before all are kept: an earlier retention deleted those', async () => {
    await threeCollections(history);
    nameMessages();
    const { report, losses } = await verified(Date.now());
    expect(losses).toEqual([]);
    expect(report).toMatchObject({
      differences: 0,
      evidence: { compared: 3, expired: 3, lost: 0 },
    });
  });

  it('hide no message and no claim that is lost later', async () => {
    await threeCollections(history);
    nameMessages();
    await forget('B');
    const { losses } = await verified();
    const later = losses.pop();
    accept(losses);
    await forget('C');
    const { report } = await verified();
    expect(report.named).toMatchObject([
      { table: 'idempotency_claims', expected: 'C' },
      { table: 'sealed_messages', expected: `message ${later?.id ?? ''}` },
    ]);
    expect(report.differences).toBe(2);
  });

  it('take no claim of another merchant’s collection with the same reference', async () => {
    await history.intend('A');
    await forget('A');
    await history.project();
    accept((await verified()).losses);
    await history.intend('A', 'm-2');
    await history.project();
    expect((await verified()).report).toMatchObject({ differences: 0, claims: 2, claimsLost: 1 });
    await forget('A');
    expect((await verified()).report.named).toMatchObject([
      { table: 'idempotency_claims', stream: 'collection-demo:m-2:A' },
    ]);
  });

  it('are differences if the list is not the one that was accepted, which is one too', async () => {
    await threeCollections(history);
    await forget('B');
    accept((await verified()).losses);
    acceptances.append(lossListStream('l-1'), {
      type: 'LossesListed',
      data: { kind: 'claims', ids: ['another'] },
    });
    expect((await verified()).report.named).toMatchObject([
      { table: 'idempotency_claims', expected: 'B' },
      { table: 'events', stream: lossListStream('l-1') },
    ]);
  });
});
