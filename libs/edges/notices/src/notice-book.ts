import { type Mode } from '#domain/kernel';

/**
 * An item that takes two people: a review's ruling, a correction, a role, or a change that two admins make
 * (`proposal`). Or a new admin who is announced and whom one admin can stop. Payouts belong to their merchants.
 */
export type WaitingKind = 'review' | 'correction' | 'role' | 'proposal' | 'break_glass';

/** `url`: NOTIFY_URL. `mail`: SMTP_URL. */
export type ChannelName = 'url' | 'mail';

/** An item that waits for a second person. */
export interface NewNotice {
  readonly kind: WaitingKind;
  /** The id of the proposal or the correction. */
  readonly id: string;
  /**
   * The name that people know: a reference, the short id of a correction or a change, or a role. Never a phone number.
   */
  readonly name: string;
  /** Undefined if the item belongs to the platform. */
  readonly mode: Mode | undefined;
}

/** One message that is due. */
export interface Notice extends NewNotice {
  /** `asked`: the item waits. `over`: it no longer waits. */
  readonly about: 'asked' | 'over';
  readonly channel: ChannelName;
  /** Includes this one. */
  readonly attempts: number;
}

/** Records the notices that were sent, and those that are still due. */
export abstract class NoticeBook {
  /**
   * Records what waits now: a notice for each new item, and one for each that no longer waits.
   * @param isWhole true if `waiting` is complete; else no item is known to be over
   * @throws DependencyUnavailable
   */
  abstract note(
    waiting: readonly NewNotice[],
    channels: readonly ChannelName[],
    isWhole: boolean,
  ): Promise<void>;

  /**
   * Returns the due notices, the oldest first. Each becomes due again after a pause that grows with its attempts, so
   * that a notice whose sender dies is still sent.
   * @throws DependencyUnavailable
   */
  abstract take(max: number): Promise<readonly Notice[]>;

  /** @param outcome `failed`: it was tried often enough @throws DependencyUnavailable */
  abstract end(notice: Notice, outcome: 'told' | 'failed'): Promise<void>;
}
