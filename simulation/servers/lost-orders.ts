import { purposeText, sealPayoutToken } from '#edges/rails';
import { sha256Hex } from '#shared/signing';
import { payoutStreamOf } from '../names.js';
import { type Fixture, keyring } from '../processes/parts.js';

/**
 * The log was restored to a point before the schedule's first event, the records to a later one: the rail was given payouts
 * of which the log knows nothing yet, and the records hold its answers to the orders.
 */
export function giveLost({ world, payoutPlan, payoutRail, payouts }: Fixture): void {
  for (const { reference, amountMinor } of payoutPlan.payouts) {
    if (!payoutPlan.lost.has(reference)) continue;
    const stream = payoutStreamOf(reference);
    const url = (kind: 'result' | 'timeout'): string =>
      `https://simulated.example/rails/${sealPayoutToken(keyring, { channel: 'mpesa', stream }, purposeText({ kind }))}`;
    payoutRail.take({
      stream,
      // As libs/edges/rails derives it.
      originatorConversationId: `pp${sha256Hex(stream).slice(0, 30)}`,
      amountMinor,
      resultUrl: url('result'),
      timeoutUrl: url('timeout'),
    });
    payouts.lost.add(stream);
    world.tell(() => `the rail was given ${stream}, and the log has lost it`);
  }
}
