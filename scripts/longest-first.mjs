import Sequencer from '@jest/test-sequencer';

/** The specs that take longest, the longest first: whichever begins last is waited for by all processors but one. */
const longest = [
  'faults/crash-points',
  'browser/page',
  'e2e/v3-calendar',
  'e2e/corrections',
  'e2e/payouts',
  'faults/payout-crash-points',
  'faults/replicas',
  'e2e/reviews',
];

/** The order in which specs that start servers run. */
export default class LongestFirst extends Sequencer {
  /** @override */
  sort(tests) {
    const rank = ({ path }) => {
      const at = longest.findIndex((name) => path.includes(`/test/${name}.`));
      return at < 0 ? longest.length : at;
    };
    return super.sort(tests).sort((one, other) => rank(one) - rank(other));
  }
}
