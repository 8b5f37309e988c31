import { DismissRailReport } from '#domain/rails';
import { Database } from '#infra/postgres';
import { dismissReport, leftReport } from '#records/rails';
import { CommandBus } from '@nestjs/cqrs';
import { withApp } from '../../app.js';
import { change, type ChangeOptions, operatorMetadata, show } from '../../operator.js';
import { parseCorrectionId } from '../../options.js';
import { Refused } from '../../refused.js';

export const dismiss = change(
  'dismiss',
  'ends a callback that was left for review and of which nothing follows; it moves no money',
  'review dismiss 0199c1f0-0000-7000-8000-000000000001 --reason "paid to another company’s short code"',
)
  .argument('<id>', 'the callback’s id, as review list shows it', parseCorrectionId)
  .action(async (id: string, options: ChangeOptions) => {
    await withApp(async (app) => {
      const database = app.get(Database);
      const report = await leftReport(database, id);
      if (!report)
        throw new Refused([
          `no callback ${id} is left for review: npx pesapost review list shows those that are`,
        ]);
      const { receipt, ...left } = report;
      const dismissed = { ...left, reportId: id, ...(receipt !== null && { receipt }) };
      await app
        .get(CommandBus)
        .execute(new DismissRailReport(dismissed, operatorMetadata(options)));
      await dismissReport(database, id);
    });
    show({ dismissed: id }, options);
  });
