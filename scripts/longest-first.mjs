import Sequencer from '@jest/test-sequencer';

/** The slowest specs, the longest first. All processors but one wait for the spec that begins last. */
const longest = [
  'test/faults/crash-points',
  'test/browser/portal',
  'test/e2e/start',
  'test/faults/payout-crash-points',
  'test/e2e/tour',
  'test/e2e/first-merchant',
  'test/browser/page',
  'test/e2e/corrections',
  'test/faults/heartbeats',
  'test/e2e/v3-calendar',
  'test/e2e/suspended-admins',
  'test/faults/frozen-servers',
  'test/faults/replicas',
  'test/faults/replay',
  'test/browser/docs',
  'test/e2e/bench',
  'test/simulation/simulation',
  'test/faults/killed-processes',
  'test/e2e/sdk',
  'test/e2e/payouts',
  'test/e2e/portal-merchant',
  'test/e2e/verify',
  'test/faults/full-redis',
  'test/e2e/two-admins',
  'test/faults/key-rotation',
  'test/e2e/reconcile',
  'test/faults/restored-log',
  'test/e2e/evidence',
  'test/e2e/look-ups',
  'test/e2e/audit-reads',
  'libs/views/transactions/src/as-of',
  'libs/edges/api-v4/src/hostile-requests',
  'apps/api/src/portal-routes',
  'libs/views/verification/src/any-history',
  'libs/views/replay/src/replay',
  'apps/daraja-simulator/test/memory',
  'libs/edges/rails/src/inbox/outage',
  'libs/views/day-figures/src/moves',
  'libs/infra/eventstoredb/test/faults',
  'libs/infra/eventstoredb/test/cluster',
  'libs/views/transactions/src/narrowed',
  'libs/views/projection/src/quarantine',
  'libs/views/verification/src/verify',
  'libs/edges/webhooks/src/delivery',
  'libs/edges/portal/src/portal',
  'libs/views/replay/src/bulk',
  'libs/edges/v3-gate/src/v3-gate',
  'libs/edges/rail-mpesa/src/daraja-rail',
  'libs/shared/http/src/connection-limits',
  'libs/edges/rail-mpesa/src/daraja-payouts',
];

/** The order in which specs run. */
export default class LongestFirst extends Sequencer {
  /** @override */
  sort(tests) {
    const rank = ({ path }) => {
      const at = longest.findIndex((name) => path.includes(`/${name}.`));
      return at < 0 ? longest.length : at;
    };
    return super.sort(tests).sort((one, other) => rank(one) - rank(other));
  }
}
