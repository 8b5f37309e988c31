import { setTimeout as sleep } from 'node:timers/promises';
import { Database } from '#infra/postgres';
import { type Quarantine, quarantines, requestRetry } from '#views/view-set';
import { withApp } from '../../app.js';
import { printJson, printLines } from '../../print.js';
import { Refused } from '../../refused.js';
import { plainCommand } from '../plain-command.js';
import { quarantineJson, quarantineLines } from './list.js';

interface RetryOptions {
  readonly merchant?: string;
  readonly json?: true;
}

/** A projector takes up a request within a second. A long history takes longer, and continues without the command. */
const patienceMs = 60_000;
const lookEveryMs = 500;

export const retry = plainCommand(
  'retry',
  'applies the events that were held back, in log order, once the cause is gone (a release, a repaired row)',
  'projection quarantine retry --merchant 01981f…',
)
  .option('--merchant <id>', 'only this merchant; by default all that are quarantined')
  .action(async ({ merchant, json }: RetryOptions) => {
    const { tried, left } = await withApp(async (app) => {
      const database = app.get(Database);
      const merchants = await requestRetry(database, merchant);
      return { tried: merchants, left: await settled(database, merchants) };
    });
    const waiting = left.filter(({ retryRequestedAt }) => retryRequestedAt !== undefined);
    if (json) printJson({ tried, still_quarantined: left.map(quarantineJson) });
    else
      printLines(
        tried.length === 0
          ? ['nothing to retry: no such merchant is quarantined']
          : [`resumed: ${tried.filter((id) => !left.some((of) => of.merchantId === id)).length}`],
      );
    if (waiting.length > 0)
      throw new Refused([
        'the retry has not ended yet; it continues by itself while a projector leads. See projection quarantine list',
      ]);
    if (left.length > 0)
      throw new Refused(
        json ? ['still quarantined'] : ['still quarantined:', ...quarantineLines(left)],
      );
  });

/**
 * Waits for the answers.
 * @returns the merchants' quarantines, those without an answer yet included
 */
async function settled(
  database: Database,
  merchants: readonly string[],
): Promise<readonly Quarantine[]> {
  const endsAt = performance.now() + patienceMs;
  for (;;) {
    const left = (await quarantines(database)).filter(({ merchantId }) =>
      merchants.includes(merchantId),
    );
    const isOver = left.every(({ retryRequestedAt }) => retryRequestedAt === undefined);
    if (isOver || performance.now() >= endsAt) return left;
    await sleep(lookEveryMs);
  }
}
