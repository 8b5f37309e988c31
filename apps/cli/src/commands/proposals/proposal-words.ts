import { type ProposalField, type ProposalKind } from '#domain/proposals';

/** Kinds of changes, as people read them. */
export const kindWords = {
  credential: 'issue a V4 credential',
  unsuspension: 'let a suspended admin act again',
  resume: 'send payouts again that are paused',
  holder: 'bind a holder of credentials',
  ip_list: 'change from where a credential may call',
  expiry: 'let a credential work for longer',
  limits: 'change the limits of payouts',
  destinations: 'change which numbers may be paid',
  fee: 'change the fee',
  evidence: 'erase the evidence of one person, for good',
  role: 'grant a role',
} as const satisfies Record<ProposalKind, string>;

/** The rows of a change. */
export const fieldWords = {
  person: 'person',
  name: 'name',
  role: 'role',
  merchant: 'merchant (none: all)',
  mode: 'mode',
  holder: 'holder',
  bound_to: 'the holder is',
  credential: 'credential',
  ips: 'may call from',
  rate: 'rate',
  expires: 'ends at (none: no end)',
  key: 'public key',
  payout_max: 'most of one payout, minor units (none: no bound)',
  payout_day_max: 'most of a day, minor units (none: no bound)',
  automatic_max: 'passes without a second holder up to, minor units',
  automatic_day_max: 'most of a day without a second holder, minor units (none: none pass)',
  destinations: 'numbers that may be paid (*: any)',
  destinations_added: 'numbers that are new',
  destinations_removed: 'numbers that go',
  basis_points: 'fee in basis points',
  flat_minor: 'flat fee in minor units',
  messages: 'messages that go',
  streams: 'of',
  stream_count: 'collections and payouts',
} as const satisfies Record<ProposalField, string>;
