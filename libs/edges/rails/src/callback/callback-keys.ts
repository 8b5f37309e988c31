import { Injectable } from '@nestjs/common';
import { type CollectionKey, collectionKeyOf } from '#domain/collections';
import { Ids, type Mode } from '#domain/kernel';
import { type PayoutKey, payoutKeyOf } from '#domain/payouts';
import { Keyring, readToken, sealToken } from '#shared/signing';
import { type RailCallbacks, RailTable } from '../rail-adapter.js';

/** The first rail. Its tokens contain only the stream. */
const firstChannel = 'mpesa';
/**
 * Tokens of other rails name their channel first. A stream's name has a colon before any space, so the two cannot be
 * confused.
 */
const withChannel = /^([a-z0-9-]+) (.+)$/s;

/** Returns the token for the URL that a rail calls back about a stream. The token is valid for that rail only. */
export function sealCallbackToken(keyring: Keyring, channel: string, stream: string): string {
  return sealToken(keyring, channel === firstChannel ? stream : `${channel} ${stream}`);
}

/**
 * The purpose of an address to which a rail reports about payouts. An `answer` address is for one status query of ours.
 * It contains the attempt's number and an id of its own, and only the rail has seen it.
 */
type PayoutPurpose =
  { readonly kind: 'result' | 'timeout' } | { readonly kind: 'answer'; readonly attempt: number };

/** Returns the purpose in the form that tokens and the inbox use. */
export function purposeText(purpose: PayoutPurpose, id = ''): string {
  return purpose.kind === 'answer' ? `answer:${purpose.attempt}:${id}` : purpose.kind;
}

const answerPattern = /^answer:(\d{1,9}):/;
/** Our ids begin with the time at which they were made, in milliseconds. */
const timedId = /:([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Returns the time of the question that the address belongs to, or undefined if the purpose does not contain it. */
export function askedAtMs(purposeName: string): number | undefined {
  const [, high, low] = timedId.exec(purposeName) ?? [];
  return high === undefined || low === undefined ? undefined : Number.parseInt(high + low, 16);
}

export function purposeOf(text: string): PayoutPurpose | undefined {
  if (text === 'result' || text === 'timeout') return { kind: text };
  const attempt = answerPattern.exec(text)?.[1];
  return attempt === undefined ? undefined : { kind: 'answer', attempt: Number(attempt) };
}

/** A stream's name and a channel contain no slash before a space. */
const payoutToken = /^payout\/([^ ]+) ([a-z0-9-]+) (.+)$/s;
const floatToken = /^float\/(?:(\d{1,16}):)?[^ ]+ ([a-z0-9-]+) (live|demo)$/;

/** Returns the token of an address at which a rail reports about the payout. */
export function sealPayoutToken(
  keyring: Keyring,
  of: { readonly channel: string; readonly stream: string },
  purpose: string,
): string {
  return sealToken(keyring, `payout/${purpose} ${of.channel} ${of.stream}`);
}

/** Returns the token of an address at which a rail answers one float query that was made at that time. */
export function sealFloatToken(
  keyring: Keyring,
  of: { readonly channel: string; readonly mode: Mode; readonly askedAtMs: number },
  id: string,
): string {
  return sealToken(keyring, `float/${of.askedAtMs}:${id} ${of.channel} ${of.mode}`);
}

const balanceToken = /^balance\/(\d{1,16}):[^ ]+ (\d{1,16}) ([a-z0-9-]+) (live|demo)$/;

/** Returns the token of an address at which a rail answers one question for the balances of a short code. */
export function sealBalanceToken(
  keyring: Keyring,
  of: {
    readonly channel: string;
    readonly mode: Mode;
    readonly shortCode: string;
    readonly askedAtMs: number;
  },
  id: string,
): string {
  const { channel, mode, shortCode, askedAtMs } = of;
  return sealToken(keyring, `balance/${askedAtMs}:${id} ${shortCode} ${channel} ${mode}`);
}

const receiptToken = /^receipt\/(\d{1,16}):[^ ]+ ([A-Z0-9]{4,32}) ([a-z0-9-]+) (live|demo)$/;

/** Returns the token of an address at which a rail answers one question about a receipt. */
export function sealReceiptToken(
  keyring: Keyring,
  of: {
    readonly channel: string;
    readonly mode: Mode;
    readonly receipt: string;
    readonly askedAtMs: number;
  },
  id: string,
): string {
  const { channel, mode, receipt, askedAtMs } = of;
  return sealToken(keyring, `receipt/${askedAtMs}:${id} ${receipt} ${channel} ${mode}`);
}

/**
 * The purpose of an address for notices. `confirmation`: the rail took a payment. `validation`: it asks before it takes
 * one.
 */
export type NoticePurpose = 'confirmation' | 'validation';

const noticeToken = /^notice\/(confirmation|validation) ([a-z0-9-]+) (live|demo)$/;

/** Returns the token of an address for a rail's notices, which is valid for as long as its master key is known. */
export function sealNoticeToken(
  keyring: Keyring,
  of: { readonly channel: string; readonly mode: Mode },
  purpose: NoticePurpose,
): string {
  return sealToken(keyring, `notice/${purpose} ${of.channel} ${of.mode}`);
}

const sharedToken = /^shared ([a-z0-9-]+) (live|demo)$/;

/** Returns the token of the address at which a rail calls back about all pushes of a mode. */
export function sealSharedToken(
  keyring: Keyring,
  { channel, mode }: { readonly channel: string; readonly mode: Mode },
): string {
  return sealToken(keyring, `shared ${channel} ${mode}`);
}

/** The callback names its push itself. */
interface SharedToken {
  readonly kind: 'shared';
  readonly rail: RailCallbacks;
  readonly mode: Mode;
}

/** The callback is a notice about a payment without a push. */
interface NoticeToken {
  readonly kind: 'notice';
  readonly rail: RailCallbacks;
  readonly mode: Mode;
  readonly purpose: NoticePurpose;
}

/** The callback is a report of this payout. */
interface PayoutToken {
  readonly kind: 'payout';
  readonly rail: RailCallbacks;
  readonly stream: string;
  readonly key: PayoutKey;
  /** As `purposeText` writes it. */
  readonly purpose: string;
}

/** The callback answers a float query. */
interface FloatToken {
  readonly kind: 'float';
  readonly rail: RailCallbacks;
  readonly mode: Mode;
  /** The time of the query; tokens of the previous release lack it. */
  readonly askedAtMs?: number;
}

/** The callback answers a question for the balances of a short code. */
interface BalanceToken {
  readonly kind: 'balance';
  readonly rail: RailCallbacks;
  readonly mode: Mode;
  readonly shortCode: string;
  readonly askedAtMs: number;
}

/** The callback answers a question about a receipt. */
interface ReceiptToken {
  readonly kind: 'receipt';
  readonly rail: RailCallbacks;
  readonly mode: Mode;
  readonly receipt: string;
  readonly askedAtMs: number;
}

/** The callback is about this collection. */
interface CollectionToken {
  readonly kind: 'collection';
  readonly rail: RailCallbacks;
  readonly stream: string;
  readonly key: CollectionKey;
}

type TokenReading =
  | Exclude<ReturnType<typeof readToken>, { readonly kind: 'stream' }>
  | CollectionToken
  | PayoutToken
  | FloatToken
  | BalanceToken
  | ReceiptToken
  | NoticeToken
  | SharedToken;

/** The keys, ids and rails with which callbacks are named and sealed. */
@Injectable()
export class CallbackKeys {
  constructor(
    readonly keyring: Keyring,
    readonly ids: Ids,
    readonly rails: RailTable,
  ) {}

  /** Reads a token that `sealCallbackToken` made for a rail of this process. */
  readToken(token: string): TokenReading {
    const reading = readToken(this.keyring, token);
    if (reading.kind !== 'stream') return reading;
    const { stream: text } = reading;
    const named =
      this.readPayoutToken(text) ??
      this.readFloatToken(text) ??
      this.readBalanceToken(text) ??
      this.readReceiptToken(text) ??
      this.readNoticeToken(text) ??
      this.readSharedToken(text);
    if (named) return named;
    const found = withChannel.exec(reading.stream);
    const [, channel = firstChannel, stream = reading.stream] = found ?? [];
    const rail = this.rails.of(channel);
    const key = collectionKeyOf(stream);
    return rail && key ? { kind: 'collection', rail, stream, key } : { kind: 'none' };
  }

  private readPayoutToken(text: string): PayoutToken | undefined {
    const [, purpose = '', channel = '', stream = ''] = payoutToken.exec(text) ?? [];
    const rail = this.rails.of(channel);
    const key = payoutKeyOf(stream);
    if (!rail || !key || !purposeOf(purpose)) return undefined;
    return { kind: 'payout', rail, stream, key, purpose };
  }

  private readFloatToken(text: string): FloatToken | undefined {
    const [, askedAt, channel = '', mode] = floatToken.exec(text) ?? [];
    const rail = this.rails.of(channel);
    if (!rail || !mode) return undefined;
    const asked = askedAt === undefined ? {} : { askedAtMs: Number(askedAt) };
    return { kind: 'float', rail, mode: mode as Mode, ...asked };
  }

  private readBalanceToken(text: string): BalanceToken | undefined {
    const [, askedAt = '', shortCode = '', channel = '', mode] = balanceToken.exec(text) ?? [];
    const rail = this.rails.of(channel);
    if (!rail || !mode) return undefined;
    const of = { mode: mode as Mode, shortCode, askedAtMs: Number(askedAt) };
    return { kind: 'balance', rail, ...of };
  }

  private readReceiptToken(text: string): ReceiptToken | undefined {
    const [, askedAt = '', receipt = '', channel = '', mode] = receiptToken.exec(text) ?? [];
    const rail = this.rails.of(channel);
    if (!rail?.notices || !mode) return undefined;
    const of = { mode: mode as Mode, receipt, askedAtMs: Number(askedAt) };
    return { kind: 'receipt', rail, ...of };
  }

  private readNoticeToken(text: string): NoticeToken | undefined {
    const [, purpose, channel = '', mode] = noticeToken.exec(text) ?? [];
    const rail = this.rails.of(channel);
    if (!rail?.notices || !purpose || !mode) return undefined;
    return { kind: 'notice', rail, mode: mode as Mode, purpose: purpose as NoticePurpose };
  }

  private readSharedToken(text: string): SharedToken | undefined {
    const [, channel = '', mode] = sharedToken.exec(text) ?? [];
    const rail = this.rails.of(channel);
    if (!rail?.usesOurReference || !mode) return undefined;
    return { kind: 'shared', rail, mode: mode as Mode };
  }

  /**
   * Returns the body that acknowledges a callback: the one that its rail expects, or the first rail's if the token
   * names none.
   */
  acknowledgementOf(token: string): object {
    if (this.rails.only) return this.rails.only.acknowledgement;
    const reading = this.readToken(token);
    const rail = 'rail' in reading ? reading.rail : this.rails.all[0];
    return rail.acknowledgement;
  }
}
