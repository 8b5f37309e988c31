import { type StoredEvent } from '#domain/event-sourcing';
import { type Minor, type Mode } from '#domain/kernel';
import { type Leg } from './legs.js';

export type WalletPosted = StoredEvent<
  'WalletPosted',
  {
    merchantId: string;
    mode: Mode;
    reference: string;
    accountNo: string;
    currency: string;
    amountMinor: Minor;
    feeMinor: Minor;
    legs: readonly Leg[];
    requestCommitment: string;
    railCommitment?: string;
  }
>;

/** The posting of a collection or a payout, with the fields of its first event. */
export function walletPosted(
  {
    merchantId,
    mode,
    reference,
    accountNo,
    currency,
    amountMinor,
    feeMinor,
  }: Omit<WalletPosted['data'], 'legs' | 'requestCommitment' | 'railCommitment'>,
  posting: {
    readonly legs: readonly Leg[];
    readonly requestCommitment: string;
    readonly railCommitment: string | undefined;
  },
): WalletPosted {
  const { legs, requestCommitment, railCommitment } = posting;
  return {
    type: 'WalletPosted',
    data: {
      merchantId,
      mode,
      reference,
      accountNo,
      currency,
      amountMinor,
      feeMinor,
      legs,
      requestCommitment,
      ...(railCommitment === undefined ? {} : { railCommitment }),
    },
  };
}
