import { type Minor, ok, refuse, type Result } from '#domain/kernel';
import { isBalanced, type Leg } from '#domain/ledger';

export type LegsRefusal =
  | 'too_few_legs'
  | 'too_many_legs'
  | 'leg_of_nothing'
  | 'amount_too_large'
  | 'account_repeated'
  | 'not_balanced'
  | 'several_wallets_debited';

const maxLegs = 20;
/** Ten million million shillings: no sum of legs comes near the limit of its column. */
const maxLegMinor = 10n ** 15n;

/** Checks legs without reading any account. */
export function checkLegs(legs: readonly Leg[]): Result<undefined, LegsRefusal> {
  if (legs.length < 2) return refuse('too_few_legs');
  if (legs.length > maxLegs) return refuse('too_many_legs');
  if (legs.some(({ amountMinor }) => amountMinor === 0n)) return refuse('leg_of_nothing');
  if (legs.some(({ amountMinor }) => amountMinor > maxLegMinor || amountMinor < -maxLegMinor))
    return refuse('amount_too_large');
  if (new Set(legs.map(({ account }) => account)).size < legs.length)
    return refuse('account_repeated');
  if (!isBalanced(legs)) return refuse('not_balanced');
  // Funds are reserved in one stream, so a correction has all of its funds or none.
  return legs.filter(isDebitedWallet).length > 1
    ? refuse('several_wallets_debited')
    : ok(undefined);
}

const walletPrefix = 'wallet:';

/** The account number of a wallet's leg; undefined for another account. */
export function accountNoOf({ account }: Leg): string | undefined {
  return account.startsWith(walletPrefix) ? account.slice(walletPrefix.length) : undefined;
}

/** Returns the wallet that the legs debit, and the amount; undefined if they debit none. */
export function debitedWallet(
  legs: readonly Leg[],
): { readonly accountNo: string; readonly amountMinor: Minor } | undefined {
  for (const leg of legs) {
    const accountNo = accountNoOf(leg);
    if (accountNo !== undefined && leg.amountMinor < 0n)
      return { accountNo, amountMinor: -leg.amountMinor };
  }
  return undefined;
}

function isDebitedWallet(leg: Leg): boolean {
  return leg.amountMinor < 0n && accountNoOf(leg) !== undefined;
}
