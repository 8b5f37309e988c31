import { type Instant, type Mode } from '#domain/kernel';
import { type LedgerItem } from '#domain/reconciliation';
import { type WaitingCorrection } from '#views/reconciliations';

/** A merchant's item that a command names. */
interface Named extends Pick<LedgerItem, 'type' | 'reference'> {
  readonly merchantId: string;
  readonly mode: Mode;
}

/** The movement of a correction. */
export interface Movement {
  /** With the same id it is the same correction, however often it is sent. */
  readonly id?: string;
  readonly legs: readonly (readonly [account: string, amountMinor: bigint])[];
  readonly corrects?: string;
  readonly receipt?: string;
  readonly mayOverdraw?: true;
}

/** The options that name the item in a command. */
export function named({ type, reference, merchantId, mode }: Named): string {
  return `${quoted(reference)} --merchant ${merchantId} --mode ${mode} --type ${type}`;
}

export function openReview(
  item: Named,
  payment: { readonly receipt: string; readonly amountMinor: bigint },
  reason: string,
  paidAt?: Instant,
): string {
  const { receipt, amountMinor } = payment;
  return [
    `npx pesapost review open ${named(item)} --receipt ${receipt} --amount ${amountMinor}`,
    ...(paidAt === undefined ? [] : [`--paid-at ${paidAt}`]),
    `--reason "${reason}"`,
  ].join(' ');
}

export function postCorrection(
  of: { readonly merchantId: string; readonly mode: Mode; readonly currency: string },
  { id, legs, corrects, receipt, mayOverdraw }: Movement,
  reason: string,
): string {
  const moved = legs.filter(([, amountMinor]) => amountMinor !== 0n);
  return [
    `npx pesapost correction post --merchant ${of.merchantId} --mode ${of.mode} --currency ${of.currency}`,
    ...moved.map(([account, amountMinor]) => `--leg ${account}=${amountMinor}`),
    ...(id === undefined ? [] : [`--id ${id}`]),
    ...(corrects === undefined ? [] : [`--corrects ${quoted(corrects)}`]),
    ...(receipt === undefined ? [] : [`--receipt ${receipt}`]),
    ...(mayOverdraw ? ['--may-overdraw'] : []),
    `--reason "${reason}"`,
  ].join(' ');
}

/** The command with which another operator confirms a pending correction. */
export function confirmCorrection({ id, mode }: Pick<WaitingCorrection, 'id' | 'mode'>): string {
  return `npx pesapost correction confirm ${id} --mode ${mode}`;
}

/** Quotes a reference as one word for the shell, because a merchant may use any characters in it. */
function quoted(text: string): string {
  return /^[\w.:/~-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
