import { type Minor } from '#domain/kernel';
import { type Wallet } from './reservation.events.js';

/** Answers what was ever credited to a wallet; served from a view, which may lag: the sum only grows. */
export abstract class PostedCredits {
  /** @throws DependencyUnavailable */
  abstract creditsOf(wallet: Wallet): Promise<Minor>;
}
