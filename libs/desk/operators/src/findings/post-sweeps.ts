import { type CommandMetadata } from '#domain/event-sourcing';
import { instantFromMs, type Minor } from '#domain/kernel';
import { PostBankSettlement, type PostRefusal } from '#domain/settlements';
import { type Report } from '#views/reconciliations';
import { type CommandBus } from '@nestjs/cqrs';

/** A sweep of a statement. `posted`: now. `posted_before`: the ledger had it. */
export interface StatementSweep {
  readonly receipt: string;
  readonly amountMinor: Minor;
  readonly outcome: 'posted' | 'posted_before' | PostRefusal;
}

/**
 * Posts the sweeps of a statement that the platform's operators reconciled (SWEEP-3). Merchants' people choose their
 * file themselves, so theirs posts nothing. Safe to repeat.
 * @param metadata its actor is the operator
 * @throws DependencyUnavailable
 */
export async function postSweeps(
  bus: CommandBus,
  { by, day, file, sweeps }: Pick<Report, 'by' | 'day' | 'file' | 'sweeps'>,
  metadata: CommandMetadata,
): Promise<readonly StatementSweep[]> {
  if (by !== 'platform') return [];
  const { channel, mode, currency } = day;
  const posted: StatementSweep[] = [];
  for (const { receipt, amountMinor: lineMinor, atMs } of sweeps) {
    const amountMinor = -lineMinor;
    const told = { receipt, amountMinor, paidAt: instantFromMs(atMs), fileSha256: file.sha256 };
    const sweep = { channel, mode, currency, ...told };
    const result = await bus.execute(new PostBankSettlement(sweep, 'statement', metadata));
    const outcome = result.ok ? (result.value ? 'posted' : 'posted_before') : result.refusal;
    posted.push({ receipt, amountMinor, outcome });
  }
  return posted;
}
