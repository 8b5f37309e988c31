import { type Instant, type Mode } from '#domain/kernel';
import { type LedgerItem } from '#domain/reconciliation';

/** Something of a merchant's that a command is about. */
interface Named extends Pick<LedgerItem, 'type' | 'reference'> {
  readonly merchantId: string;
  readonly mode: Mode;
}

/** What a correction moves. */
export interface Movement {
  readonly legs: readonly (readonly [account: string, amountMinor: bigint])[];
  readonly corrects?: string;
  readonly receipt?: string;
  readonly mayOverdraw?: true;
}

/** As a command takes it. */
export function named({ type, reference, merchantId, mode }: Named): string {
  return `${quoted(reference)} --merchant ${merchantId} --mode ${mode} --type ${type}`;
}

export function openReview(
  item: Named,
  payment: { readonly receipt: string; readonly amountMinor: bigint; readonly paidAt: Instant },
  reason: string,
): string {
  const { receipt, amountMinor, paidAt } = payment;
  return (
    `npx pesapost review open ${named(item)} --receipt ${receipt} ` +
    `--amount ${amountMinor} --paid-at ${paidAt} --reason "${reason}"`
  );
}

export function postCorrection(
  of: { readonly merchantId: string; readonly mode: Mode; readonly currency: string },
  { legs, corrects, receipt, mayOverdraw }: Movement,
  reason: string,
): string {
  const moved = legs.filter(([, amountMinor]) => amountMinor !== 0n);
  return [
    `npx pesapost correction post --merchant ${of.merchantId} --mode ${of.mode} --currency ${of.currency}`,
    ...moved.map(([account, amountMinor]) => `--leg ${account}=${amountMinor}`),
    ...(corrects === undefined ? [] : [`--corrects ${quoted(corrects)}`]),
    ...(receipt === undefined ? [] : [`--receipt ${receipt}`]),
    ...(mayOverdraw ? ['--may-overdraw'] : []),
    `--reason "${reason}"`,
  ].join(' ');
}

/** A merchant made the reference up: whatever stands in it is one word to the shell. */
function quoted(text: string): string {
  return /^[\w.:/~-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
