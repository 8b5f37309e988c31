import { type Mode } from '#domain/kernel';
import { type PauseScope, PausePayouts, resumePayouts } from '#domain/payouts';
import { CommandBus } from '@nestjs/cqrs';
import { Option } from 'commander';
import { withApp } from '../../app.js';
import {
  change,
  type ChangeOptions,
  operatorMetadata,
  show,
  unknownMerchant,
} from '../../operator.js';
import { printJson, printLines } from '../../print.js';
import { makeOrPropose } from '../../propose.js';
import { Refused } from '../../refused.js';

interface PauseOptions extends ChangeOptions {
  readonly merchant?: string;
  readonly mode?: Mode;
}

const merchantAlone = new Option('--merchant <id>', 'only that merchant');
const modeAlone = new Option('--mode <mode>', 'only that mode').choices(['live', 'demo']);

/** One operator is enough. The pause is effective at once: the sender reads the log before each payout (PAY-47). */
export const pause = change(
  'pause',
  'pauses payouts: those of a merchant, of a mode, or all',
  'payout pause --mode live --reason "the initiator’s password leaked"',
)
  .addOption(merchantAlone)
  .addOption(modeAlone)
  .action(async (options: PauseOptions) => {
    const scope = scopeOf(options);
    const metadata = { ...operatorMetadata(options), reason: options.reason };
    const done = await withApp((app) =>
      app.get(CommandBus).execute(new PausePayouts(scope, metadata)),
    );
    if (!done.ok) throw new Refused([unknownMerchant(options.merchant ?? '')]);
    if (options.json) printJson({ outcome: done.value, ...jsonOf(scope) });
    else
      printLines([
        done.value === 'paused'
          ? `paused: no further payout of ${scopeText(scope)} is sent`
          : `unchanged: payouts of ${scopeText(scope)} were paused already`,
        'payouts that were given to the rail continue; the others can be cancelled',
      ]);
  });

/** In live mode two admins decide. Then the waiting payouts are sent. */
export const resume = change(
  'resume',
  'resumes payouts that were paused with the same options; in live mode another admin confirms',
  'payout resume --mode live --reason "a new password is set"',
)
  .addOption(merchantAlone)
  .addOption(modeAlone)
  .action(async (options: PauseOptions) => {
    const scope = scopeOf(options);
    const done = await makeOrPropose(resumePayouts, scope, options, {
      unknown_merchant: unknownMerchant(options.merchant ?? ''),
      not_paused: `payouts of ${scopeText(scope)} are not paused so: npx pesapost status shows what is`,
    });
    const [merchantId, mode] = [scope.merchantId ?? null, scope.mode ?? null];
    if (done) show({ outcome: 'resumed', merchantId, mode }, options);
  });

function scopeOf({ merchant, mode }: PauseOptions): PauseScope {
  return {
    ...(merchant === undefined ? {} : { merchantId: merchant }),
    ...(mode === undefined ? {} : { mode }),
  };
}

function jsonOf({ merchantId, mode }: PauseScope): object {
  return { merchant_id: merchantId ?? null, mode: mode ?? null };
}

function scopeText({ merchantId, mode }: PauseScope): string {
  const whose = merchantId === undefined ? 'all merchants' : `merchant ${merchantId}`;
  return mode === undefined ? `${whose} in both modes` : `${whose} in ${mode} mode`;
}
