import {
  type PushOutcome,
  type PushRequest,
  type QueryOutcome,
  type RailLimits,
  type RailPayment,
} from '#domain/collections';
import { type Clock, type Mode, type Timer } from '#domain/kernel';
import { type RedisStore } from '#infra/redis';
import { type Metrics, type Settings } from '#infra/runtime';
import { type Keyring } from '#shared/signing';
import { type Callback } from './callback/callback.js';

/** How a rail calls back. */
export interface RailCallbacks {
  /** The rail's name in collections, lower-case letters, digits and hyphens, such as `mpesa`. It never changes. */
  readonly channel: string;
  /** What the rail expects as the answer to a callback, whatever becomes of it. */
  readonly acknowledgement: object;
  /** Reads a callback's body; undefined where it is none. Never throws. */
  readCallback(bytes: Uint8Array): Callback | undefined;
  /** Whether callbacks from this address are the rail's own in that mode. */
  isOwnAddress(mode: Mode, address: string | undefined): boolean;
}

/** What is shown on a customer's phone, and where the rail calls back. */
export interface Prompt extends Omit<PushRequest, 'channel' | 'stream'> {
  readonly callbackUrl: string;
}

/**
 * One rail: all in which it differs from the others. `describeRail` in test/rail/contract.ts states what each adapter
 * keeps to.
 */
export interface RailAdapter extends RailCallbacks {
  /** Undefined where the mode has no such rail configured. */
  limits(mode: Mode): RailLimits | undefined;
  /**
   * Resolves within RAIL_PUSH_TIMEOUT; `late` resolves within `lateAnswerMs` more. Neither rejects. A push is sent
   * again only where it is certain that no prompt was shown.
   */
  push(prompt: Prompt): Promise<PushOutcome>;
  /** Never rejects: what is no clear answer settles nothing. */
  query(payment: Omit<RailPayment, 'channel'>): Promise<QueryOutcome>;
  /** Cuts off what is in flight. */
  close(): Promise<void>;
}

/** What a process gives to its rails. */
export interface RailParts {
  readonly settings: Settings;
  readonly redis: RedisStore;
  readonly keyring: Keyring;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly metrics: Metrics;
}

/** Makes a rail's adapter from the settings; the wiring lists one for each rail. */
export type RailFactory = (parts: RailParts) => RailAdapter;
