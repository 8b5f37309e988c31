import { type Minor, type Mode } from '#domain/kernel';
import { type EventTypes, type StoredEvent } from '#domain/event-sourcing';

/** A change of a wallet's reserved money. Each event has the new running total. */
interface ReservationData {
  /** The stream that takes the money: a correction or a payout. */
  source: string;
  /** Above 0. */
  amountMinor: Minor;
  /** The sum of everything that is reserved or was ever paid out of the wallet, this event included. */
  totalMinor: Minor;
}

export type FundsReserved = StoredEvent<'FundsReserved', ReservationData>;

export type ReservationReleased = StoredEvent<'ReservationReleased', ReservationData>;

export type ReservationEvent = FundsReserved | ReservationReleased;

/** The names and versions under which history stores these events. */
export const reservationEventTypes = {
  FundsReserved: { version: 1 },
  ReservationReleased: { version: 1 },
} as const satisfies Record<ReservationEvent['type'], EventTypes[string]>;

/** A wallet: one account of a merchant, which has exactly one mode and currency. */
export interface Wallet {
  readonly mode: Mode;
  readonly merchantId: string;
  readonly accountNo: string;
  readonly currency: string;
}

/** Returns the stream of a wallet's reservations. None of its parts contains a colon. */
export function reservationsStream({ mode, merchantId, accountNo, currency }: Wallet): string {
  return `reservations-${mode}:${merchantId}:${accountNo}:${currency}`;
}

const streamPattern = /^reservations-(live|demo):([^:]+):([^:]+):([^:]+)$/;

/** Returns the wallet from a stream's name; undefined if it names no wallet's reservations. */
export function reservedWalletOf(stream: string): Wallet | undefined {
  const match = streamPattern.exec(stream);
  if (!match) return undefined;
  const [, mode, merchantId, accountNo, currency] = match as unknown as [
    string,
    Mode,
    string,
    string,
    string,
  ];
  return { mode, merchantId, accountNo, currency };
}
