import { type ProposalField, type ProposalKind } from '#domain/proposals';

/** Kinds of changes, as people read them. */
export const kindWords = {
  credential: 'issue a V4 credential',
  unsuspension: 'let a suspended admin act again',
  resume: 'send payouts again that are paused',
} as const satisfies Record<ProposalKind, string>;

/** The rows of a change. */
export const fieldWords = {
  person: 'person',
  merchant: 'merchant (none: all)',
  mode: 'mode',
  holder: 'holder',
  bound_to: 'the holder is',
  ips: 'may call from',
  rate: 'rate',
  key: 'public key',
} as const satisfies Record<ProposalField, string>;
