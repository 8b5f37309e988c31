import Sequencer from '@jest/test-sequencer';

/** The slowest specs, the longest first. All processors but one wait for the spec that begins last. */
const longest = [
  'test/faults/crash-points',
  'test/e2e/bench',
  'test/browser/portal',
  'test/faults/heartbeats',
  'test/faults/payout-crash-points',
  'test/e2e/start',
  'test/e2e/v3-calendar',
  'test/simulation/simulation',
  'test/browser/page',
  'test/e2e/corrections',
  'test/e2e/payouts',
  'test/e2e/evidence',
  'test/e2e/look-ups',
  'test/e2e/audit-reads',
  'test/e2e/suspended-admins',
  'test/e2e/tour',
  'test/e2e/reconcile',
  'test/faults/killed-processes',
  'test/faults/replicas',
  'libs/edges/api-v4/src/hostile-requests',
  'libs/views/replay/src/replay',
  'libs/edges/v3-gate/src/v3-gate',
  'libs/views/verification/src/any-history',
  'libs/edges/rails/src/inbox/outage',
  'libs/views/projection/src/quarantine',
  'libs/views/replay/src/bulk',
  'libs/infra/eventstoredb/test/faults',
  'libs/edges/rail-mpesa/src/daraja-rail',
  'apps/daraja-simulator/test/memory',
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
