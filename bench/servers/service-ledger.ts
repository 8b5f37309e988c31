import pg from 'pg';
import { viewSchema } from '#views/view-set';
import { postedMinor } from '../load/collection-requests.js';
import { type Ledger } from '../load/lifecycles.js';
import { progressOf } from './projection.js';
import { type Service } from './service.js';

/** Opens the service as a ledger that is observed from outside, over a connection of its own. */
export async function openServiceLedger(
  service: Service,
): Promise<Ledger & { close(): Promise<void> }> {
  const database = new pg.Client({ connectionString: service.databaseUrl });
  await database.connect();
  /** All collections have the same amount, so the balance gives their number. */
  const posted = async (): Promise<number> => {
    const { rows } = await database.query<{ credits: string }>(
      `select credits_minor::text as credits from ${viewSchema()}.balances
       where mode = 'demo' and currency = 'KES' and account = $1`,
      [`wallet:${service.merchant.accountNo}`],
    );
    return Number(BigInt(rows[0]?.credits ?? '0') / postedMinor);
  };
  return {
    port: service.port,
    replicaPorts: service.replicaPorts,
    posted,
    lagSeconds: async () => (await progressOf(service)).lagSeconds,
    usage: () => service.usage(),
    close: () => database.end(),
  };
}
