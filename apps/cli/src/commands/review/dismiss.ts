import { dismissCallback } from '#records/rails';
import { Database } from '#infra/postgres';
import { withApp } from '../../app.js';
import { show, whoOption } from '../../operator.js';
import { parseCorrectionId, parseForEver } from '../../options.js';
import { Refused } from '../../refused.js';
import { plainCommand } from '../plain-command.js';

interface DismissOptions {
  readonly reason: string;
  readonly as: string;
  readonly json?: true;
}

export const dismiss = plainCommand(
  'dismiss',
  'ends a callback that was left for review and of which nothing follows; it moves no money',
  'review dismiss 0199c1f0-0000-7000-8000-000000000001 --reason "paid to another company’s short code"',
)
  .argument('<id>', 'the callback’s id, as review list shows it', parseCorrectionId)
  .requiredOption('--reason <text>', 'the reason; it stays with the callback', parseForEver)
  .addOption(whoOption())
  .action(async (id: string, { reason, as, json }: DismissOptions) => {
    const isDismissed = await withApp((app) =>
      dismissCallback(app.get(Database), { id, by: as, reason }),
    );
    if (!isDismissed)
      throw new Refused([
        `no callback ${id} is left for review: npx pesapost review list shows those that are`,
      ]);
    show({ dismissed: id }, json ? { json } : {});
  });
