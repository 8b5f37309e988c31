import { countText } from '../../text/count-text.js';

/** Words of a merchant's home page. */
export const english = {
  needsYou: 'Needs your attention',
  nothing: 'Nothing needs your attention.',
  approvals: (count: bigint) =>
    count === 1n ? '1 payout needs approval' : `${countText(count)} payouts need approval`,
  reviews: (count: bigint) =>
    count === 1n ? '1 payment is in review' : `${countText(count)} payments are in review`,
  failing: (kind: string, times: number) =>
    `The ${kind} webhook endpoint failed ${times} times in a row`,
  ending: (holder: string, days: number) =>
    days === 0
      ? `The API key of ${holder} has expired`
      : `The API key of ${holder} expires in ${days === 1 ? '1 day' : `${days} days`}`,
  span: 'Last 30 days',
  today: 'Collected today',
  yesterday: 'Collected yesterday',
  paidOutOn: (amount: string, count: bigint) =>
    count === 0n
      ? 'Nothing paid out'
      : `${amount} paid out in ${count === 1n ? '1 payout' : `${countText(count)} payouts`}`,
  noEarlier: 'No earlier payments',
  collected: 'Collected',
  paidOut: 'Paid out',
  successRate: 'Success rate',
  available: 'Available',
  ofFinished: (completed: bigint, finished: bigint) =>
    `${countText(completed)} of ${countText(finished)}`,
  noneFinished: 'None finished yet',
  payments: (count: bigint) => (count === 1n ? '1 payment' : `${countText(count)} payments`),
  payouts: (count: bigint) => (count === 1n ? '1 payout' : `${countText(count)} payouts`),
  up: (percent: string) => `${percent} more than in the 30 days before`,
  down: (percent: string) => `${percent} less than in the 30 days before`,
  same: 'As in the 30 days before',
  points: (points: string) => `${points} points against the 30 days before`,
  reserved: (amount: string) => `${amount} reserved for payouts`,
  notReserved: 'Nothing is reserved',
  collectedADay: 'Collected a day',
  outcomesADay: 'Payments by outcome a day',
  completed: 'Completed',
  failed: 'Failed',
  pending: 'Pending',
  balance: (account: string) => `Balance at the end of the day, account ${account}`,
  reasons: 'Failure reasons',
  trends: 'Trends',
  latest: 'Latest transactions',
  all: 'All transactions',
  unavailable: 'The figures cannot be read at the moment. Load the page again in a minute.',
  empty: {
    text: 'No transactions yet',
    todo: 'Your developers create the first collection with the API.',
  },
};
