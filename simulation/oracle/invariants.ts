/** The invariants after every step and at the end, in the words of a violation. */
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
  askableIsHeard:
    'a payment that the rail tells of when it is asked is not listed as one of which nothing was heard',
  noDefect: 'nothing ends in a defect',
  everythingEnds: 'every collection ends completed, failed or under review',
  inboxEmpties: 'every callback that was kept is applied or left to people',
  declinedIsAskedAbout: 'a declined collection is asked about to the last delay',
  paidIsAccountedFor: 'money that the rail took is posted, in suspense or under review',
  completedWasPaid:
    'a completed collection was paid at the rail, the same amount, or is under review',
  oneOrder: 'a payout is sent to the rail at most once',
  cancelledIsNotSent: 'a payout that somebody was told is cancelled is never sent',
  pausedIsNotSent: 'no payout is sent while an operator has paused payouts',
  startedFirst: 'a payout is sent after its start is durable, as its own',
  anotherHolder: 'a payout is approved by another holder than the one who asked',
  withinLimits:
    'payouts without a second holder, and the payouts of a day, are within the operator’s limits',
  neverOverdrawn: 'a payout reserves no more than there is, and only a late success overdraws',
  releasedWhenOver: 'a reservation is released once, and only of what failed or was rejected',
  batchReservedWhole: 'the money of a batch is reserved whole, in one append',
  batchDecidedOnce: 'a batch is asked for once, and decided once',
  batchDecidedFirst: 'a payout of a batch is approved or rejected with its batch, and after it',
  batchKeepsItsRequest: 'no batch loses what it asks for before its payouts are recorded',
  batchesEnd: 'in the end every payout of a batch has followed it',
  batchSums: 'the counts and sums of a batch are those of its payouts, in its view as well',
  reservedIsOpen: 'in the end, what stands reserved is what is open or paid out',
  payoutsMatchTheRail: 'each payment by the rail is posted to the ledger once, or is under review',
  anotherOperator: 'a ruling on a payout is agreed to by another operator than who proposed it',
  rulingAsSeen: 'a ruling takes effect once, and on the payout as its proposer saw it',
  rulingStands:
    'in the end a payout ruled paid is posted, and one ruled failed is not, unless the rail reports a late success',
  declineAnswersNoPayment:
    'a decline releases nothing where the rail or an operator said that it was paid',
  failedByTheRail: 'a payout fails only where the rail said so',
  ownIsRecognised:
    'a result that names the order by our name or by the rail’s own is taken for that order',
  givenIsKept:
    'a payout that the rail was given and the log has lost is neither rejected nor released',
  numbersAreForgotten:
    'the number of a payout that is over is gone, and that of an open one is kept',
  statusIsFold: 'the status of a payout in the list is that of its stream',
  payoutsEnd:
    'every payout ends completed, failed, rejected or under review, or waits for a holder',
  viewsCatchUp: 'the views reach the end of the log',
  requestsEnd: 'every request is answered while its process lives',
} as const;

export type Invariant = (typeof invariants)[keyof typeof invariants];
