import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { sealNoticeToken } from '#edges/rails';
import { parseMasterKeys } from '#infra/runtime';
import { Keyring } from '#shared/signing';
import { viewSchema } from '#views/view-set';
import { untilDue } from '../load/until-due.js';
import { type BenchCase, type Conditions, type Findings, measurement } from '../measurement.js';
import { type Service, startService } from '../servers/service.js';
import { totalAnonMb } from '../servers/usage.js';
import { ascending, quantile } from '../statistics.js';

/** The required rate. */
const noticesPerSecond = 300;
const warmUpSeconds = 2;
const pollMs = 50;
/** The notices of a run are posted within this time after the last one, or the case fails. */
const postedWithinMs = 120_000;

/** Payments without a push: each notice is timed from when it was due to its answer, which comes once it is durable. */
export const notices: BenchCase = {
  name: 'notices',
  seconds: 20,
  about:
    'p50 and p99 of notices of payments without a push at 300 a second, from when each was due to the answer, which comes once the notice is durable. The floor is the same request to an address that opens nothing. `notices_posted` is the rate at which they are posted and listed, from the first notice to the last posting. Its floor is the rate at which they came.',
  run: measure,
};

async function measure({ fixture, seconds }: Conditions): Promise<Findings> {
  const service = await startService(fixture, {});
  const database = new pg.Client({ connectionString: service.databaseUrl });
  await database.connect();
  try {
    await database.query(`set search_path to ${viewSchema()}`);
    const send = (token: string, forSeconds: number): Promise<readonly number[]> =>
      sendAll(service, token, Math.ceil(forSeconds * noticesPerSecond));
    const token = tokenOf(service);
    const none = '00'.repeat(token.length / 2);
    await send(token, warmUpSeconds);
    await postedOf(database, Math.ceil(warmUpSeconds * noticesPerSecond));
    await send(none, warmUpSeconds);
    const floor = await send(none, seconds);
    const before = await countOf(database);
    const begunAt = performance.now();
    const found = await send(token, seconds);
    const cameSeconds = (performance.now() - begunAt) / 1000;
    await postedOf(database, before + found.length);
    const postedSeconds = (performance.now() - begunAt) / 1000;
    const anon_mb = totalAnonMb(await service.usage());
    return {
      measurements: [
        ...[0.5, 0.99].map((share) =>
          measurement({
            name: `notices_p${share * 100}`,
            value: quantile(found, share),
            unit: 'ms',
            floor: quantile(floor, share),
            anon_mb,
          }),
        ),
        measurement({
          name: 'notices_posted',
          value: found.length / postedSeconds,
          unit: 'payments/s',
          floor: found.length / cameSeconds,
          anon_mb,
        }),
      ],
      notes: [`notices: ${found.length} payments, each posted once`],
    };
  } finally {
    await database.end();
    await service.stop();
  }
}

function tokenOf({ env }: Service): string {
  const keys = parseMasterKeys(env['MASTER_KEY'] ?? '');
  if ('problem' in keys) throw new Error(keys.problem);
  return sealNoticeToken(Keyring.from(keys), { channel: 'mpesa', mode: 'demo' }, 'confirmation');
}

/** @returns milliseconds from when each notice was due, ascending */
async function sendAll(
  { port, merchant }: Service,
  token: string,
  count: number,
): Promise<readonly number[]> {
  const begin = performance.now();
  const latencies = await Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const body = noticeOf(merchant.accountNo);
      const dueAt = await untilDue(begin + (index * 1000) / noticesPerSecond);
      const answer = await fetch(`http://127.0.0.1:${port}/rails/c2b/${token}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      });
      await answer.arrayBuffer();
      if (answer.status !== 200) throw new Error(`a notice was answered ${answer.status}`);
      return performance.now() - dueAt;
    }),
  );
  return latencies.sort(ascending);
}

function noticeOf(accountNo: string): string {
  const inNairobi = new Date(Date.now() + 3 * 3_600_000).toISOString();
  return JSON.stringify({
    TransactionType: 'Pay Bill',
    TransID: `R${randomBytes(6).toString('hex').toUpperCase()}`,
    TransTime: inNairobi.slice(0, 19).replace(/[-:T]/g, ''),
    TransAmount: '250.00',
    BusinessShortCode: '174379',
    BillRefNumber: accountNo,
    InvoiceNumber: '',
    OrgAccountBalance: '250.00',
    ThirdPartyTransID: '',
    MSISDN: '2547 ***** 678',
    FirstName: 'TEST',
    MiddleName: '',
    LastName: 'CUSTOMER',
  });
}

async function countOf(database: pg.Client): Promise<number> {
  const { rows } = await database.query<{ posted: number }>(
    `select count(*)::integer as posted from transactions where came_by = 'c2b' and status = 'completed'`,
  );
  return rows[0]?.posted ?? 0;
}

/** @throws if more are posted than came, or not all of them in time */
async function postedOf(database: pg.Client, count: number): Promise<void> {
  const giveUpAt = performance.now() + postedWithinMs;
  for (let posted = await countOf(database); posted !== count; posted = await countOf(database)) {
    if (posted > count || performance.now() > giveUpAt)
      throw new Error(`${posted} of ${count} payments are posted`);
    await sleep(pollMs);
  }
}
