import { type Mode } from '#domain/kernel';
import { type PayoutBounds, setLimits } from '#domain/merchants';
import { Command, Option } from 'commander';
import { change, type ChangeOptions, show, unknownMerchant } from '../operator.js';
import { merchantOption, modeOption, parseMinorAmount } from '../options.js';
import { makeOrPropose } from '../propose.js';

interface SetOptions extends ChangeOptions {
  readonly merchant: string;
  readonly mode: Mode;
  readonly payout?: bigint;
  readonly day?: bigint;
  readonly automatic?: bigint;
  readonly automaticDay?: bigint;
}

const minor = (flags: string, what: string): Option =>
  new Option(flags, `in minor units: ${what}`).argParser(parseMinorAmount);

const set = change(
  'set',
  'sets a merchant’s payout limits; an option that is absent means no limit. Raising or removing a live limit takes two admins',
  'limits set --merchant M --mode live --payout 5000000 --day 20000000 --reason "contract 2026-114"',
)
  .addOption(merchantOption)
  .addOption(modeOption)
  .addOption(minor('--payout <n>', 'the largest single payout'))
  .addOption(
    minor('--day <n>', 'the most that may be paid out in a day, in the merchant’s time zone'),
  )
  .addOption(
    minor(
      '--automatic <n>',
      'payouts up to this amount need no second holder; without it, every payout does',
    ),
  )
  .addOption(minor('--automatic-day <n>', 'the daily sum of payouts without a second holder'))
  .action(async (options: SetOptions) => {
    const { merchant: merchantId, mode } = options;
    const details = { merchantId, mode, bounds: boundsOf(options) };
    const done = await makeOrPropose(setLimits, details, options, {
      unknown_merchant: unknownMerchant(merchantId),
      automatic_beyond_max: '--automatic is more than --payout lets anybody ask for',
    });
    if (done) show(standing(options), options);
  });

/** All four limits as they are now: an omitted limit is removed, and the output shows that. */
function standing({ payout, day, automatic, automaticDay, json }: SetOptions): object {
  const bound = (minor: bigint | undefined, without: string) => minor ?? (json ? null : without);
  return {
    payoutMinor: bound(payout, 'no bound'),
    dayMinor: bound(day, 'no bound'),
    automaticMinor: bound(automatic, 'none, each payout needs a second holder'),
    automaticDayMinor: bound(automaticDay, 'none, each payout needs a second holder'),
  };
}

function boundsOf({ payout, day, automatic, automaticDay }: SetOptions): PayoutBounds {
  return {
    ...(payout === undefined ? {} : { maxMinor: payout }),
    ...(day === undefined ? {} : { maxPerDayMinor: day }),
    ...(automatic === undefined ? {} : { automaticMaxMinor: automatic }),
    ...(automaticDay === undefined ? {} : { automaticPerDayMinor: automaticDay }),
  };
}

export const limits = new Command('limits')
  .description('limits for a merchant’s payouts')
  .addCommand(set);
