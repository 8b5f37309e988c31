import { Injectable } from '@nestjs/common';
import { SealedMessages } from '#domain/evidence';
import { type Mode } from '#domain/kernel';
import { openRailMessage, sha256Hex } from '#shared/signing';
import { CallbackKeys } from '../callback/callback-keys.js';
import { railEvidence, railMetadata } from '../callback/rail-messages.js';
import { type DueInboxEntry } from '../inbox/inbox.js';
import { type PaymentNotices, type ReceiptAnswer, type TakenPayment } from '../rail-adapter.js';
import { modeOfNotice, receiptAskedAtMs } from './notice-entry.js';
import { type ToldUnasked } from './unasked-payments.js';

/** A notice that is believed, or the rail's answer about its receipt. */
export interface OpenedNotice {
  readonly kind: 'notice';
  readonly mode: Mode;
  readonly notices: PaymentNotices;
  readonly payment: TakenPayment;
  /** The payment, with the notice's bytes as evidence. */
  readonly told: ToldUnasked;
}

/** A notice that posts nothing, and the payment that it names. */
interface UnfitNotice {
  readonly kind: 'unfit';
  readonly why: 'no_notice' | 'not_from_rail' | 'other_short_code';
  readonly payment?: TakenPayment;
}

/** An answer about a receipt that tells of no payment to us. The notice about which we asked stays as it is. */
interface NoPayment {
  readonly kind: 'no_payment';
  readonly why: Extract<ReceiptAnswer, { kind: 'not_paid' }>['why'] | 'receipt_answer_late';
  readonly mode: Mode;
  readonly code?: string;
  readonly isAskerRefused?: boolean;
}

/** The rail answers within two minutes. Later, the address of the answer may have become known (C2B-20). */
const answeredWithinMs = 3_600_000;

/** Opens the sealed notices of the inbox, and decides which are believed (C2B-7). */
@Injectable()
export class OpenedNotices {
  constructor(
    private readonly keys: CallbackKeys,
    private readonly messages: SealedMessages,
  ) {}

  /** @throws UnopenableCiphertext */
  open(entry: DueInboxEntry): OpenedNotice | UnfitNotice | NoPayment {
    const bytes = openRailMessage(this.keys.keyring, entry);
    const askedAtMs = receiptAskedAtMs(entry.purpose);
    if (askedAtMs !== undefined) return this.openAnswer(entry, bytes, askedAtMs);
    const notices = this.keys.rails.of(entry.channel)?.notices;
    const notice = notices?.read(bytes);
    if (!notices || !notice) return { kind: 'unfit', why: 'no_notice' };
    const { payment, shortCode } = notice;
    const mode = modeOfNotice(entry.stream);
    // Anyone may send a notice to an address that became known, and nothing in it proves that it is the rail's.
    if (!entry.trusted) return { kind: 'unfit', why: 'not_from_rail', payment };
    if (!notices.isOurs(mode, shortCode))
      return { kind: 'unfit', why: 'other_short_code', payment };
    const told = this.toldBy(entry, { mode, payment, bytes, by: 'callback' });
    return { kind: 'notice', mode, notices, payment, told };
  }

  private openAnswer(
    entry: DueInboxEntry,
    bytes: Buffer,
    askedAtMs: number,
  ): OpenedNotice | UnfitNotice | NoPayment {
    const rail = this.keys.rails.of(entry.channel);
    const mode = modeOfNotice(entry.stream);
    const notices = rail?.notices;
    const answer = notices?.readReceiptAnswer(bytes);
    if (!rail || !notices || !answer) return { kind: 'unfit', why: 'no_notice' };
    const isLate = entry.receivedAt.getTime() - askedAtMs > answeredWithinMs;
    if (isLate && !rail.isOwnAddress(mode, entry.sourceAddress))
      return { kind: 'no_payment', why: 'receipt_answer_late', mode };
    if (answer.kind === 'not_paid') return { ...answer, kind: 'no_payment', mode };
    const { payment, shortCode } = answer.notice;
    if (!entry.stream.endsWith(`:${payment.receipt}`))
      return { kind: 'no_payment', why: 'receipt_unclear', mode };
    if (!notices.isOurs(mode, shortCode))
      return { kind: 'no_payment', why: 'receipt_not_paid', mode };
    const told = this.toldBy(entry, { mode, payment, bytes, by: 'query' });
    return { kind: 'notice', mode, notices, payment, told };
  }

  private toldBy(
    { id, channel, sourceAddress }: DueInboxEntry,
    { bytes, ...of }: Pick<ToldUnasked, 'mode' | 'payment' | 'by'> & { readonly bytes: Buffer },
  ): ToldUnasked {
    const { keyring } = this.keys;
    return {
      channel,
      ...of,
      prove: async (stream) => {
        const messageId = messageIdOf(id, stream);
        const kind = of.by === 'query' ? 'query_answer' : 'callback';
        const said = { id: messageId, kind, stream, bytes } as const;
        const ownKey = await this.messages.keep(railEvidence(keyring, said));
        const report = { channel, id: messageId, correlationId: id, ownKey };
        return railMetadata(keyring, { ...report, bytes, sourceAddress });
      },
      withdraw: (stream) => this.messages.drop(messageIdOf(id, stream)),
    };
  }
}

/**
 * The id of a notice's message on a stream, the same at each try. A row belongs to one stream, but a payment that came
 * second for an expected one changes its stream (C2B-16). The time of the entry's id stays, by which messages are sorted.
 */
function messageIdOf(entryId: string, stream: string): string {
  const hex = sha256Hex(Buffer.from(`${entryId} ${stream}`));
  return `${entryId.slice(0, 15)}${hex.slice(0, 3)}-8${hex.slice(3, 6)}-${hex.slice(6, 18)}`;
}
