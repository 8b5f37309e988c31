import { type Mode } from '#domain/kernel';
import { type PauseScope, PausePayouts } from '#domain/payouts';
import { CommandBus } from '@nestjs/cqrs';
import { Option } from 'commander';
import { withApp } from '../../app.js';
import { change, type ChangeOptions, operatorMetadata, unknownMerchant } from '../../operator.js';
import { printJson, printLines } from '../../print.js';
import { Refused } from '../../refused.js';

export interface PauseOptions extends ChangeOptions {
  readonly merchant?: string;
  readonly mode?: Mode;
}

export const pauseMerchantOption = new Option('--merchant <id>', 'of that merchant alone');
export const pauseModeOption = new Option('--mode <mode>', 'of that mode alone').choices([
  'live',
  'demo',
]);

/** One operator is enough, and it holds at once: the sender reads the log before each payout (PAY-47). */
export const pause = change(
  'pause',
  'no further payout is sent: of a merchant, of a mode, or of all',
  'payout pause --mode live --reason "the initiator’s password leaked"',
)
  .addOption(pauseMerchantOption)
  .addOption(pauseModeOption)
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
        'payouts that were given to the rail before go their way; the others can be cancelled',
      ]);
  });

export function scopeOf({ merchant, mode }: PauseOptions): PauseScope {
  return {
    ...(merchant === undefined ? {} : { merchantId: merchant }),
    ...(mode === undefined ? {} : { mode }),
  };
}

export function jsonOf({ merchantId, mode }: PauseScope): object {
  return { merchant_id: merchantId ?? null, mode: mode ?? null };
}

export function scopeText({ merchantId, mode }: PauseScope): string {
  const whose = merchantId === undefined ? 'all merchants' : `merchant ${merchantId}`;
  return mode === undefined ? `${whose} in both modes` : `${whose} in ${mode} mode`;
}
