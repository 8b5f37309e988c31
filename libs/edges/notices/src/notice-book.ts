import { type Mode } from '#domain/kernel';

/**
 * Something that takes two people: a review's ruling, a correction, a role, a change that two admins make (`proposal`); or a
 * new admin who is announced and whom one admin can stop. Payouts are their merchant's own.
 */
export type WaitingKind = 'review' | 'correction' | 'role' | 'proposal' | 'break_glass';

/** `url`: NOTIFY_URL. `mail`: SMTP_URL. */
export type ChannelName = 'url' | 'mail';

/** Something that waits for a second person. */
export interface NewNotice {
  readonly kind: WaitingKind;
  /** Of the proposal, or the correction. */
  readonly id: string;
  /** By which people know it: a reference, the short id of a correction or a change, a role. Never a phone number. */
  readonly name: string;
  /** Undefined where it is of the platform. */
  readonly mode: Mode | undefined;
}

/** One message that is due. */
export interface Notice extends NewNotice {
  /** `asked`: it waits. `over`: it waits no longer. */
  readonly about: 'asked' | 'over';
  readonly channel: ChannelName;
  /** This one counted. */
  readonly attempts: number;
}

/** What was told, and what is still to be. */
export abstract class NoticeBook {
  /**
   * Notes what waits now: a notice for each that is new, and one for each that waits no longer.
   * @param isWhole whether `waiting` is all that waits; else nothing is known to be over
   * @throws DependencyUnavailable
   */
  abstract note(
    waiting: readonly NewNotice[],
    channels: readonly ChannelName[],
    isWhole: boolean,
  ): Promise<void>;

  /**
   * The notices that are due, the oldest first. Each is due again after a while that grows with its attempts, so that
   * one whose sender dies is told all the same.
   * @throws DependencyUnavailable
   */
  abstract take(max: number): Promise<readonly Notice[]>;

  /** @param outcome `failed`: it was tried often enough @throws DependencyUnavailable */
  abstract end(notice: Notice, outcome: 'told' | 'failed'): Promise<void>;
}
