export {
  ClearedRails,
  collectionLegs,
  feeFor,
  feeOf,
  type FeeSchedule,
  isBalanced,
  isReturned,
  type Leg,
  type LedgerAccount,
  ledgerAccount,
  payoutLegs,
  settlementLegs,
  suspenseLegs,
  suspenseReturnLegs,
  suspenseToWalletLegs,
} from './legs.js';
export {
  PostedCredits,
  type ReservationRequest,
  type ReservationSource,
  Reservations,
  type ReservationsRequest,
  type StandingReservation,
} from './reservations/reservations.js';
export {
  type FundsReserved,
  type ReservationEvent,
  reservationEventTypes,
  type ReservationReleased,
  reservationsStream,
  reservedWalletOf,
  type Wallet,
} from './reservations/reservation.events.js';
export {
  decideRelease,
  decideReserve,
  standingReservation,
} from './reservations/reservations.decide.js';
export { ReservationsContested } from './reservations/wallet-queue.js';
export { type WalletPosted, walletPosted } from './wallet-posted.js';
