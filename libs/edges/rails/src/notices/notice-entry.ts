import { type Mode } from '#domain/kernel';
import { type CallbackKeys } from '../callback/callback-keys.js';

/** The purpose of a notice in the inbox. */
export const noticePurpose = 'notice';

/** The purpose of the answer to a question about a receipt. It contains the time of the question. */
const answerPurpose = /^notice_answer:(\d{1,16})$/;

export function receiptAnswerPurpose(askedAtMs: number): string {
  return `notice_answer:${askedAtMs}`;
}

/** Returns the time of the question if the purpose is that of an answer about a receipt. */
export function receiptAskedAtMs(purpose: string | undefined): number | undefined {
  const askedAt = answerPurpose.exec(purpose ?? '')?.[1];
  return askedAt === undefined ? undefined : Number(askedAt);
}

/** True for a notice, and for the answer to a question about one. */
export function isAboutNotices(purpose: string | undefined): boolean {
  return purpose === noticePurpose || receiptAskedAtMs(purpose) !== undefined;
}

/** Returns the name under which the inbox stores what the rail itself says of a payment without a push. */
export function railsNoticeName(mode: Mode, channel: string, receipt: string): string {
  return `${noticePrefix(mode)}${channel}:${receipt}`;
}

/** The beginning of the names of a mode's notices. */
export function noticePrefix(mode: Mode): string {
  return `c2b-${mode}:`;
}

/** The beginning of the names of notices whose senders are not trusted (C2B-8). */
export function untrustedPrefix(mode: Mode, channel: string): string {
  return railsNoticeName(mode, channel, 'untrusted');
}

/**
 * Returns the name under which the inbox stores a notice: it belongs to no collection yet. A notice of an untrusted
 * sender never has the name of the rail's own notice, whatever receipt it names. Undefined if the body is no notice of
 * a payment that was made: a validation has the same members, but comes before the payment.
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
  const { receipt } = notice.payment;
  return fromRail
    ? railsNoticeName(mode, channel, receipt)
    : `${untrustedPrefix(mode, channel)}:${receipt}`;
}

/** Returns the mode of such a name. */
export function modeOfNotice(name: string): Mode {
  return name.startsWith(noticePrefix('live')) ? 'live' : 'demo';
}
