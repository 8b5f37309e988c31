import { type ProposalField, type ProposalKind } from '#domain/proposals';

/** Kinds of changes, as people read them. */
export const kindWords = {
  credential: 'issue a V4 credential',
  unsuspension: 'let a suspended admin act again',
} as const satisfies Record<ProposalKind, string>;

/** The rows of a change. */
export const fieldWords = {
  person: 'person',
  mode: 'mode',
  holder: 'holder',
  bound_to: 'the holder is',
  ips: 'may call from',
  rate: 'rate',
  key: 'public key',
} as const satisfies Record<ProposalField, string>;
