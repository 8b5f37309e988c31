import { PresenceRule } from '#edges/portal';
import { Database } from '#infra/postgres';
import { type ProcessContext } from '#infra/runtime';
import { liveDataOf } from '#views/view-set';
import { type Provider } from '@nestjs/common';

/**
 * Binds the rule to the log, not to the environment: a replica without live rail settings may serve a log with live
 * data. Views that are being built may hide it. ALLOW_UNSAFE may lift the rule.
 */
export function presenceRule({
  settings: { allowUnsafe },
}: Pick<ProcessContext, 'settings'>): Provider {
  const isLifted = allowUnsafe.includes('weak-presence');
  return {
    provide: PresenceRule,
    inject: [Database],
    useFactory: (database: Database): PresenceRule => ({
      isStrongOnly: async () => !isLifted && (await liveDataOf(database)) !== 'none',
    }),
  };
}
