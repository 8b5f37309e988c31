import {
  type Child,
  eventually,
  liveAndRebuilt,
  type MerchantClient,
  type OwnServers,
  type Service,
  startOwnServers,
  startService,
  secondHolder,
} from '#testing';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { expectAgreement, expectPayoutsAgree, settled } from './agreed.js';
import { collectUntilAnswered, underLoad } from './load.js';
import { funded } from './payouts.js';
import { RecordsUnderTest } from './records.js';
import { steadyWithinMs } from './steady.js';

// A log of its own: a rebuild ends at the position of the live views, whatever other specs write.
let servers: OwnServers;
let service: Service;
let records: RecordsUnderTest;
let merchants: readonly MerchantClient[];
let checker: MerchantClient | undefined;
const processes = { projector: [] as Child[], worker: [] as Child[] };
const references: string[] = [];
const payouts: string[] = [];

beforeAll(async () => {
  servers = await startOwnServers();
  service = await startService(servers.env);
  records = new RecordsUnderTest(service.env['DATABASE_URL'] ?? '');
  const api = await service.startReplica('api');
  const url = `http://127.0.0.1:${String(api.ports.port)}`;
  merchants = [service.merchant, service.merchant.at(url)];
  for (const app of ['projector', 'worker'] as const)
    processes[app] = [service.child(app), await service.startReplica(app)];
});
afterAll(async () => {
  await records.close();
  await service.stop();
  await servers.stop();
});

async function load(name: string, forMs: number, fault: () => Promise<unknown>): Promise<void> {
  if (!checker) {
    checker = await secondHolder(service);
    references.push(await funded(service));
  }
  const done = await underLoad({ name, forMs, merchants, checker }, fault);
  references.push(...done.references);
  payouts.push(...done.payouts);
}

async function expectAllAgree(): Promise<void> {
  const found = await settled(service, references);
  expectAgreement(found, references);
  expectPayoutsAgree(found, payouts);
}

const running = (app: 'projector' | 'worker'): Child[] =>
  processes[app].filter((child) => !child.hasEnded());

async function isLeading({ ports }: Child): Promise<boolean> {
  const url = `http://127.0.0.1:${String(ports.adminPort)}/health/ready`;
  const response = await fetch(url, { signal: AbortSignal.timeout(30_000) });
  return ((await response.json()) as { leading: boolean }).leading;
}

async function leaders(among: readonly Child[] = running('projector')): Promise<Child[]> {
  const standings = await Promise.all(among.map(isLeading));
  return among.filter((_, index) => standings[index]);
}

/** The one projector that leads; while a term begins there may be none. */
async function leader(): Promise<Child> {
  const [leading] = await eventually(
    () => leaders(),
    (found) => found.length === 1,
  );
  if (!leading) throw new Error('no projector leads');
  return leading;
}

/** @returns the time until another one than `gone` led */
async function takenOver(gone: Child): Promise<number> {
  const begun = performance.now();
  const others = running('projector').filter((child) => child !== gone);
  await eventually(
    () => leaders(others),
    (found) => found.length === 1,
    { withinMs: 90_000 },
  );
  return performance.now() - begun;
}

async function appendsOf({ ports }: Child): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${String(ports.adminPort)}/metrics`);
  const text = await response.text();
  return Number(/^pesapost_append_seconds_count\{outcome="appended"\} (\d+)/m.exec(text)?.[1] ?? 0);
}

describe('two APIs', () => {
  it('push each reference once when they race, with shared or different keys', async () => {
    const raced = Array.from({ length: 40 }, (_, n) => ({
      reference: `raced-${n}`,
      phone: n % 2 === 0 ? '254712345678' : '254700000012',
    }));
    const key = randomUUID();
    await Promise.all(
      raced.flatMap((fields, n) =>
        [...merchants, ...merchants].map((merchant, turn) =>
          // Half of the racers share a key, the others have their own.
          turn < 2
            ? merchant.collect(fields, `${key}-${n}`)
            : collectUntilAnswered([merchant], fields),
        ),
      ),
    );
    references.push(...raced.map(({ reference }) => reference));
    const found = await settled(service, references);
    expectAgreement(found, references);
    // On a busy machine a call may end before its push could be sent.
    const isUnsent = (reference: string): boolean =>
      ['not_sent', 'rail_unavailable'].includes(found.folded.get(reference)?.failure_code ?? '');
    const unsent = raced.filter(({ reference }) => isUnsent(reference));
    expect(unsent.length).toBeLessThan(raced.length / 2);
    expect(found.pushesAtRail).toBe(raced.length - unsent.length);
  });
});

describe('two projectors', () => {
  it('the leader is killed under load: the other takes over within seconds', async () => {
    await load('killed-leader', 3_000, async () => {
      const leading = await leader();
      leading.signal('SIGKILL');
      await leading.ended;
      expect(await takenOver(leading)).toBeLessThan(steadyWithinMs);
    });
    processes.projector = [...running('projector'), await service.startReplica('projector')];
    await expectAllAgree();
  });

  it('the leader is frozen past its lease: on its return only one leads, and nothing is applied twice', async () => {
    await load('frozen-leader', 3_000, async () => {
      const leading = await leader();
      leading.signal('SIGSTOP');
      try {
        expect(await takenOver(leading)).toBeLessThan(steadyWithinMs);
        // The other one is well into its term, with work under way.
        await sleep(500);
      } finally {
        leading.signal('SIGCONT');
      }
    });
    // Mostly the other one, but on a busy machine its first term may have ended before it could renew its lease.
    await leader();
    await expectAllAgree();
  });
});

describe('two workers', () => {
  const silent = '254700000006';

  it('share the queries: each is sent once, and both send some', async () => {
    const before = await Promise.all(running('worker').map(appendsOf));
    const name = 'shared';
    const done = await underLoad({ name, forMs: 2_000, merchants, phones: [silent] }, () =>
      Promise.resolve(),
    );
    references.push(...done.references);
    await expectAllAgree();
    const after = await Promise.all(running('worker').map(appendsOf));
    expect(after.map((count, index) => count > (before[index] ?? 0))).toEqual([true, true]);
    const asked = await records.answersKept(`%:${name}-%`);
    expect(asked.filter(({ count }) => count !== 1)).toEqual([]);
    expect(asked).toHaveLength(done.references.length);
  });

  it('one is frozen during its queries, past their leases, and continued: nothing is done twice', async () => {
    const [frozen] = running('worker');
    const done = await underLoad(
      {
        name: 'frozen-worker',
        forMs: 2_000,
        merchants,
        // This many of the last ones wait for their first question, on a machine of any speed.
        atLeast: 64,
        clients: 32,
        phones: [silent, '254700000012', silent],
      },
      () => Promise.resolve(),
    );
    references.push(...done.references);
    // Its questions hang at the rail, and then it hangs itself.
    service.child('daraja-simulator').signal('SIGSTOP');
    await eventually(
      () => records.questionsUnderWay(),
      (count) => count > 8,
      { withinMs: 90_000 },
    );
    frozen?.signal('SIGSTOP');
    service.child('daraja-simulator').signal('SIGCONT');
    await records.endLeases();
    const found = await settled(service, references);
    frozen?.signal('SIGCONT');
    expectAgreement(found, references);
    // The results that the frozen one then brings are known already.
    await sleep(2_000);
    await expectAllAgree();
  });
});

describe('after all faults', () => {
  it('the views equal those of a rebuild, byte for byte', async () => {
    // The rebuild kills the service's own; this kills the others.
    for (const projector of running('projector')) projector.signal('SIGKILL');
    await Promise.all(processes.projector.map(({ ended }) => ended));
    for (const { table, live, rebuilt } of await liveAndRebuilt(service))
      expect({ table, rows: rebuilt }).toEqual({ table, rows: live });
  });
});
