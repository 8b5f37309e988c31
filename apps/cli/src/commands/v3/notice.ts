import { IssueFinalNotice } from '#domain/v3-retirement';
import { carryOut, change, type ChangeOptions, operatorMetadata } from '../../operator.js';
import { parseForEver } from '../../options.js';

interface NoticeOptions extends ChangeOptions {
  readonly text: string;
}

export const notice = change(
  'notice',
  'records the final notice to V3’s merchants; 30 days later V3 may be retired',
  'v3 notice --text "V3 ends on 21 November 2027. Move to V4 by then: https://pay.example/docs/v3" --as amina --reason "decision 2027-31"',
)
  .requiredOption(
    '--text <text>',
    'what they were told; stands in the event for ever',
    parseForEver,
  )
  .action((options: NoticeOptions) =>
    carryOut(new IssueFinalNotice(options.text, operatorMetadata(options)), options, {
      no_text: 'a notice says something: give --text',
      v3_is_retired: 'V3 is retired already: npx pesapost v3 status',
    }),
  );
