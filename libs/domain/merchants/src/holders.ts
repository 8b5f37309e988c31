import { isSameName } from '#domain/kernel';
import { type HolderBound } from './merchant.events.js';
import { type Merchant } from './merchant.js';

/** A holder as a proposal records it, in canonical JSON. */
interface SeenHolder {
  readonly person?: string;
  readonly system?: string;
  /** Ids of its credentials that are in use. */
  readonly credentials: readonly string[];
}

/** The holder as two admins see it: its person or system, and its credentials. */
export function holderAsSeen(holder: string, state: Merchant): string {
  if (state.kind === 'none') return '';
  const bound = state.holders.find((one) => one.holder === holder);
  const credentials = state.credentials
    .filter((one) => one.holder === holder && !one.revoked)
    .map(({ credentialId }) => credentialId);
  const seen: SeenHolder = { ...identityOf(bound), credentials };
  return JSON.stringify(seen);
}

/** The person or system in the seen state; empty for none. */
export function boundTo(seen: string): string {
  const { person, system = '' } = JSON.parse(seen) as SeenHolder;
  return person ?? system;
}

function identityOf(bound: HolderBound['data'] | undefined): Omit<SeenHolder, 'credentials'> {
  if (!bound) return {};
  return 'person' in bound ? { person: bound.person } : { system: bound.system };
}

/**
 * True if another holder of the merchant has a name that differs only by case, spaces or Unicode form. One person could
 * then request as one holder and approve as the other (PEO-37).
 */
export function hasSimilarHolder(holder: string, state: Merchant): boolean {
  return (
    state.kind !== 'none' &&
    state.credentials.some((one) => one.holder !== holder && isSameName(one.holder, holder))
  );
}
