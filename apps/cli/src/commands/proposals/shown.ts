import { type OpenProposal, type ProposalRow } from '#domain/proposals';
import { fieldWords, kindWords } from './proposal-words.js';

/** A proposal with the rows that describe it. */
export type ShownProposal = OpenProposal & { readonly rows: readonly ProposalRow[] };

export function proposalJson(proposal: ShownProposal): object {
  const { id, kind, merchantId, mode, reason, proposedBy, proposedAt, endsAt, rows } = proposal;
  return {
    id,
    kind,
    merchant_id: merchantId ?? null,
    mode: mode ?? null,
    changes: rows.map(({ field, value, before }) => ({ field, value, before: before ?? null })),
    reason,
    proposed_by: proposedBy,
    proposed_at: proposedAt,
    ends_at: endsAt,
  };
}

export function proposalLines(proposals: readonly ShownProposal[]): readonly string[] {
  return [
    `waiting for a second admin: ${proposals.length}`,
    ...proposals.flatMap((proposal) => [
      `  ${proposal.id}: ${kindWords[proposal.kind]}${ofMerchant(proposal)}`,
      ...proposal.rows.map((row) => `    ${fieldWords[row.field]}: ${changeOf(row)}`),
      `    proposed by ${proposal.proposedBy}, until ${proposal.endsAt}: ${proposal.reason}`,
    ]),
  ];
}

function ofMerchant({ merchantId }: ShownProposal): string {
  return merchantId === undefined ? '' : ` for merchant ${merchantId}`;
}

function changeOf({ value, before }: ProposalRow): string {
  const now = value === '' ? 'none' : value;
  return before === undefined ? now : `${now} (now ${before === '' ? 'none' : before})`;
}
