import { IssueFinalNotice } from '#domain/v3-retirement';
import { carryOut, change, type ChangeOptions, operatorMetadata } from '../../operator.js';
import { parseForEver } from '../../options.js';
import { Command } from 'commander';
import { outreach } from './outreach.js';
import { readiness } from './readiness.js';
import { retire } from './retire.js';
import { status } from './status.js';

interface NoticeOptions extends ChangeOptions {
  readonly text: string;
}

const notice = change(
  'notice',
  'records the final notice to V3’s merchants; 30 days later V3 may be retired',
  'v3 notice --text "V3 ends on 21 November 2027. Move to V4 by then: https://pay.example/docs/v3" --reason "decision 2027-31"',
)
  .requiredOption(
    '--text <text>',
    'the text of the notice; it stays in the event for ever',
    parseForEver,
  )
  .action((options: NoticeOptions) =>
    carryOut(new IssueFinalNotice(options.text, operatorMetadata(options)), options, {
      no_text: 'a notice says something: give --text',
      v3_is_retired: 'V3 is retired already: npx pesapost v3 status',
    }),
  );

export const v3 = new Command('v3').description('how V3 ends');
for (const command of [status, outreach, readiness, notice, retire]) v3.addCommand(command);
