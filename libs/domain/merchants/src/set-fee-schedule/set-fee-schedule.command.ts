import { Command } from '@nestjs/cqrs';
import { type Mode, type Result } from '#domain/kernel';
import { type CommandMetadata } from '#domain/event-sourcing';
import { type FeeSchedule } from '#domain/ledger';

/** Sets what a merchant pays from now on; the fee of an intent already recorded stays as it was fixed. */
export class SetFeeSchedule extends Command<Result<undefined, 'unknown_merchant'>> {
  constructor(
    readonly details: {
      readonly merchantId: string;
      readonly mode: Mode;
      readonly feeSchedule: FeeSchedule;
    },
    readonly metadata: CommandMetadata,
  ) {
    super();
  }
}
