/** What must hold after every step and at the end, as a violation is reported. */
export const invariants = {
  onePush: 'a reference yields at most one push',
  onePosting: 'a reference yields at most one posting',
  balancedLegs: 'the legs of every event sum to zero',
  completedStays: 'a completed collection never changes back',
  durableAnswers: 'no 2xx before the event that it speaks of is durable',
  durableAcknowledgements: 'no callback is acknowledged before it is durable',
  rightMoney: 'money that the rail took is posted for its own collection alone',
  risingCheckpoint: 'the checkpoint only rises',
  leaderCommits: 'only the holder of the lease commits views',
  listIsFold: 'the rows of the list are the fold of the events at the checkpoint',
  balancesAreFold:
    'balances are the sum of the entries and the fold of the events at the checkpoint',
  oneAsks: 'one worker at a time asks a question',
  declineIsRepeated: 'the decline of a query counts only where the next one repeats it',
  askedBeforeReview:
    'a timeout is listed for review after a final query that the rail took, or a day later',
  noDefect: 'nothing ends in a defect',
  everythingEnds: 'every collection ends completed, failed or under review',
  inboxEmpties: 'every callback that was kept is applied or left to people',
  declinedIsAskedAbout: 'a declined collection is asked about to the last delay',
  paidIsAccountedFor: 'money that the rail took is posted, in suspense or under review',
  completedWasPaid:
    'a completed collection was paid at the rail, the same amount, or is under review',
  viewsCatchUp: 'the views reach the end of the log',
  requestsEnd: 'every request is answered while its process lives',
} as const;

export type Invariant = (typeof invariants)[keyof typeof invariants];
