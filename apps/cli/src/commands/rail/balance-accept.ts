import { type Mode } from '#domain/kernel';
import {
  AcceptRailDifference,
  type AcceptRefusal,
  type DifferenceCause,
  differenceCauses,
} from '#domain/settlements';
import { InvalidArgumentError, Option } from 'commander';
import { carryOut, change, type ChangeOptions, withReason } from '../../operator.js';
import { modeOption } from '../../options.js';
import { railChannel } from './channel.js';

interface AcceptOptions extends ChangeOptions {
  readonly mode: Mode;
  readonly amountMinor: bigint;
  readonly cause: DifferenceCause;
}

const explain: Readonly<Record<AcceptRefusal, string>> = {
  nothing_compared: 'the balance of this mode was not compared yet: the worker does so once a day',
  another_difference:
    'the last comparison shows another difference, or it was accepted: npx pesapost rail balance show',
};

export const balanceAccept = change(
  'accept',
  'accepts the difference of the last comparison, which later ones then expect; it moves no money',
  'rail balance accept --mode live --amount-minor=-3300 --cause charges --reason "charges of 20 November, by the statement"',
)
  .addOption(modeOption)
  .requiredOption('--amount-minor <n>', 'the difference as it is shown, with its sign', parseSigned)
  .addOption(
    new Option('--cause <what>', 'the cause of the difference')
      .choices([...differenceCauses])
      .makeOptionMandatory(),
  )
  .action((options: AcceptOptions) => {
    const { mode, amountMinor, cause } = options;
    const accounts = { channel: railChannel, mode };
    const accepted = { amountMinor, cause };
    return carryOut(
      new AcceptRailDifference(accounts, accepted, withReason(options)),
      options,
      explain,
    );
  });

function parseSigned(text: string): bigint {
  if (!/^-?[1-9]\d{0,14}$/.test(text))
    throw new InvalidArgumentError('must be whole minor units other than 0, as -3300');
  return BigInt(text);
}
