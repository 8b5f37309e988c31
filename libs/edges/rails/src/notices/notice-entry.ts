import { type Mode } from '#domain/kernel';

/** The purpose of a notice in the inbox. */
export const noticePurpose = 'notice';

/**
 * The name under which the inbox stores a notice: it belongs to no collection yet. All notices of untrusted senders have
 * one name, so that the inbox's limit for a name bounds them.
 */
export function noticeEntryName(of: {
  readonly channel: string;
  readonly mode: Mode;
  readonly receipt: string;
  readonly fromRail: boolean;
}): string {
  return `c2b-${of.mode}:${of.channel}:${of.fromRail ? of.receipt : 'untrusted'}`;
}

/** Returns the mode of such a name. */
export function modeOfNotice(name: string): Mode {
  return name.startsWith('c2b-live:') ? 'live' : 'demo';
}
