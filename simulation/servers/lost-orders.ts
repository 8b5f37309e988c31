import { purposeText, sealPayoutToken } from '#edges/rails';
import { sha256Hex } from '#shared/signing';
import { payoutStreamOf } from '../names.js';
import { type Fixture, keyring } from '../processes/parts.js';

/**
 * Gives the rail payouts that the log has lost. The log was restored to a point before the schedule's first event, and the
 * records to a later one. So the log does not know the payouts yet, but the records contain the rail's answers to the
 * orders.
 */
export function giveLost({ world, payoutPlan, payoutRail, payouts }: Fixture): void {
  for (const { reference, amountMinor } of payoutPlan.payouts) {
    if (!payoutPlan.lost.has(reference)) continue;
    const stream = payoutStreamOf(reference);
    const url = (kind: 'result' | 'timeout'): string =>
      `https://simulated.example/rails/${sealPayoutToken(keyring, { channel: 'mpesa', stream }, purposeText({ kind }))}`;
    payoutRail.take({
      stream,
      // The same derivation as in libs/edges/rails.
      originatorConversationId: `pp${sha256Hex(stream).slice(0, 30)}`,
      amountMinor,
      resultUrl: url('result'),
      timeoutUrl: url('timeout'),
    });
    payouts.lost.add(stream);
    world.tell(() => `the rail was given ${stream}, and the log has lost it`);
  }
}
