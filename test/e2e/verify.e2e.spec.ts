import { Database } from '#infra/postgres';
import { viewSchema } from '#views/view-set';
import { createLogger } from '#infra/runtime';
import {
  type OwnServers,
  patientPool,
  type Service,
  startOwnServers,
  startCommandLine,
  startService,
  type CommandOutcome,
  typed,
} from '#testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

/** A log of its own: the claims of other suites' collections are in other databases. */
let servers: OwnServers;
let service: Service;
let database: Database;
beforeAll(async () => {
  servers = await startOwnServers();
  service = await startService(servers.env);
  const logger = createLogger({ app: 'spec', level: 'fatal' });
  const options = {
    ...patientPool,
    url: servers.env.DATABASE_URL,
    app: 'spec',
    logger,
    searchPath: [viewSchema()],
  };
  database = new Database({ ...options, poolSize: 1 });
});
afterAll(async () => {
  await database.close();
  await service.stop();
  await servers.stop();
});

const verify = (...words: readonly string[]): Promise<CommandOutcome> =>
  typed(service.env, 'verify', ...words);

const phones = ['254712345678', '254700000002', '254700000007', '254700000008', '254700000010'];
let written = 0;

/** Four merchants' tills that work until stopped. */
async function load(stop: AbortSignal): Promise<void> {
  const till = async (): Promise<void> => {
    while (!stop.aborted) {
      written += 1;
      const phone = phones[written % phones.length];
      const { status } = await service.merchant.collect({ reference: `V-${written}`, phone });
      expect(status).toBe(202);
    }
  };
  await Promise.all(Array.from({ length: 4 }, till));
}

describe('npx pesapost verify', () => {
  it('finds no differences while writes continue, and does not block them', async () => {
    const stop = new AbortController();
    const working = load(stop.signal);
    const compared: number[] = [];
    try {
      for (let run = 0; run < 4; run += 1) {
        const before = written;
        // In a process of its own, as a person starts it: writes go on for as long as that takes.
        const { code, stdout, stderr } = await startCommandLine(service.env, ['verify', '--json']);
        expect([code, stderr]).toEqual([0, '']);
        const report = JSON.parse(stdout) as Record<string, number>;
        expect(report).toMatchObject({ differences: 0, named: [] });
        expect(written - before).toBeGreaterThan(10);
        compared.push(report['collections'] ?? 0);
      }
    } finally {
      stop.abort();
      await working;
    }
    expect(compared).toEqual(compared.toSorted((a, b) => a - b));
    expect(compared.at(-1)).toBeGreaterThan(compared[0] ?? 0);
  });

  it('says in words what it compared, and up to which position', async () => {
    const { code, stdout } = await verify();
    expect(code).toBe(0);
    expect(stdout).toMatch(/compared [\d,]+ events: [\d,]+ collections, [\d,]+ postings/);
    expect(stdout).toMatch(/up to position \d+ in \d+\.\d s; the views/);
    expect(stdout).toContain('no differences');
  });

  it('names a minor unit that is missing, and exits 1', async () => {
    const account = `wallet:${service.merchant.credentials.accountNo}`;
    const move = `update balances set credits_minor = credits_minor + $1 where account = $2`;
    await database.query(move, [-1, account]);
    try {
      const { code, stdout, stderr } = await verify();
      expect(code).toBe(1);
      expect(stdout).toMatch(
        new RegExp(`^balances.credits_minor: expected \\d+, found \\d+ \\(demo:KES:${account}\\)`),
      );
      expect(stderr).toContain('1 difference:');
      const { named } = JSON.parse((await verify('--json')).stdout) as { named: object[] };
      expect(named).toMatchObject([{ table: 'balances', account: `demo:KES:${account}` }]);
    } finally {
      await database.query(move, [1, account]);
    }
  });

  it('exits 2 on wrong usage', async () => {
    expect((await verify('--max', 'many')).code).toBe(2);
  });
});
