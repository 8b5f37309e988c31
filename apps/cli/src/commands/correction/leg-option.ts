import { type Leg, type LedgerAccount } from '#domain/ledger';
import { InvalidArgumentError } from 'commander';

const accounts = 'wallet:<account number>, rail-clearing:mpesa, fees or suspense';
const legPattern =
  /^(wallet:[0-9]{1,32}|rail-clearing:[a-z]+|fees|suspense)=([+-]?)([1-9]\d{0,14})$/;

/** `wallet:100000001=-9850`: an account and whole minor units, a credit positive. */
export function parseLeg(text: string, before: readonly Leg[] = []): readonly Leg[] {
  const match = legPattern.exec(text.trim());
  if (!match)
    throw new InvalidArgumentError(
      `must read <account>=<minor units>, a debit negative; accounts: ${accounts}`,
    );
  const [, account = '', sign, digits = ''] = match;
  const amountMinor = sign === '-' ? -BigInt(digits) : BigInt(digits);
  return [...before, { account: account as LedgerAccount, amountMinor }];
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export function parseCorrectionId(text: string): string {
  const id = text.trim().toLowerCase();
  if (!uuid.test(id)) throw new InvalidArgumentError('must be a UUID');
  return id;
}
