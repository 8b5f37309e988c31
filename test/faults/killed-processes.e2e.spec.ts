import {
  type Agreement,
  agreementOf,
  eventually,
  type OwnServers,
  type Service,
  startOwnServers,
  startService,
} from '#testing';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

let servers: OwnServers;
let service: Service;
beforeAll(async () => {
  servers = await startOwnServers();
  service = await startService(servers.env);
}, 90_000);
afterAll(async () => {
  await service.stop();
  await servers.stop();
}, 60_000);

/** Phones that pay, that pay without a callback, and that lose the push's answer, in turn. */
const phones = ['254712345678', '254712345679', '254700000006', '254700000012', '254700000007'];
const clients = 8;
const loadMs = 3_000;
const killAfterMs = 1_000;
const awayMs = 700;

/** A client that is told nothing repeats its request, same reference and key, as the contract allows. */
async function collectUntilAnswered(reference: string, phone: string): Promise<void> {
  const key = randomUUID();
  await eventually(
    () =>
      service.merchant.collect({ reference, phone }, key).then(
        ({ status }) => status,
        () => 0,
      ),
    (status) => status === 202 || status === 502,
    { withinMs: 90_000, everyMs: 200 },
  );
}

/** Runs load, with the fault in its middle, until every request was answered. @returns the references */
async function underLoad(name: string, fault: () => Promise<void>): Promise<string[]> {
  const end = performance.now() + loadMs;
  const references: string[] = [];
  const loop = async (client: number): Promise<void> => {
    while (performance.now() < end) {
      const reference = `${name}-${client}-${references.length}`;
      references.push(reference);
      await collectUntilAnswered(reference, phones[references.length % phones.length] ?? '');
    }
  };
  const loops = Array.from({ length: clients }, (_, client) => loop(client));
  await sleep(killAfterMs);
  await fault();
  await Promise.all(loops);
  return references;
}

/**
 * Waits until everything that can settle has settled: nothing but pushes of unknown outcome is pending, and the views
 * are level with the log.
 */
async function settled(references: readonly string[]): Promise<Agreement> {
  return eventually(
    () => agreementOf(service),
    ({ folded, listed, postedByEvents, postedByEntries, postedByBalance }) =>
      postedByEvents === postedByEntries &&
      postedByEvents === postedByBalance &&
      [...folded].every(([key, item]) => listed.get(key)?.['status'] === item.status) &&
      references.every((reference) => {
        const item = folded.get(reference);
        return item !== undefined && (item.status !== 'pending' || item.rail_reference === null);
      }),
    { withinMs: 60_000, everyMs: 500 },
  );
}

function expectAgreement(found: Agreement, references: readonly string[]): void {
  expect(references.filter((reference) => !found.folded.has(reference))).toEqual([]);
  expect(found.postedTwice).toEqual([]);
  expect(found.sumOfBalances).toBe(0n);
  expect(found.postedByEntries).toBe(found.postedByEvents);
  expect(found.postedByBalance).toBe(found.postedByEvents);
  expect([...found.listed.keys()].sort()).toEqual([...found.folded.keys()].sort());

  // The rail saw no reference twice, and was paid nothing that we neither posted nor know to be open.
  expect(new Set(found.paidAtRail).size).toBe(found.paidAtRail.length);
  expect(found.pushesAtRail).toBeLessThanOrEqual(found.folded.size);
  const paid = new Set(found.paidAtRail);
  for (const [reference, item] of found.folded) {
    const atRail = paid.has(found.accountReferences.get(reference) ?? '');
    if (item.status === 'completed')
      expect({ reference, atRail }).toEqual({ reference, atRail: true });
    if (item.status === 'failed')
      expect({ reference, atRail }).toEqual({ reference, atRail: false });
  }
}

describe('any one process killed under load and started again', () => {
  it.each(['api', 'projector', 'worker', 'daraja-simulator'] as const)(
    '%s: nothing is pushed or posted twice, and all accounts agree',
    async (app) => {
      const references = await underLoad(app, async () => {
        await service.kill(app);
        await sleep(awayMs);
        await service.start(app);
      });
      expectAgreement(await settled(references), references);
    },
    150_000,
  );

  it.each(['eventstore', 'postgres', 'redis'] as const)(
    '%s: nothing is pushed or posted twice, and all accounts agree',
    async (server) => {
      const references = await underLoad(server, async () => {
        await servers.kill(server);
        await sleep(awayMs);
        await servers.start(server);
      });
      expectAgreement(await settled(references), references);
    },
    150_000,
  );
});
