import { type Mode } from '#domain/kernel';
import { type CallbackKeys } from '../callback/callback-keys.js';

/** The purpose of a notice in the inbox. */
export const noticePurpose = 'notice';

/** The beginning of the names of a mode's notices. */
export function noticePrefix(mode: Mode): string {
  return `c2b-${mode}:`;
}

/**
 * Returns the name under which the inbox stores a notice: it belongs to no collection yet. All notices of untrusted
 * senders have one name, so that the inbox's limit for a name bounds them. Undefined if the body is no notice of a
 * payment that was made: a validation has the same members, but comes before the payment.
 */
export function noticeEntryName(
  {
    rail: { channel, notices },
    mode,
    purpose,
  }: Extract<ReturnType<CallbackKeys['readToken']>, { kind: 'notice' }>,
  { bytes, fromRail }: { readonly bytes: Uint8Array; readonly fromRail: boolean },
): string | undefined {
  const notice = purpose === 'confirmation' ? notices?.read(bytes) : undefined;
  if (!notice) return undefined;
  return `${noticePrefix(mode)}${channel}:${fromRail ? notice.payment.receipt : 'untrusted'}`;
}

/** Returns the mode of such a name. */
export function modeOfNotice(name: string): Mode {
  return name.startsWith(noticePrefix('live')) ? 'live' : 'demo';
}
