import { type ChannelName, type Notice } from '#records/operations';

/** The limit for each attempt, from the first byte to the last. */
export const deadlineMs = 10_000;

/** Sends one message. The receiver may get it twice. */
export interface Channel {
  readonly name: ChannelName;
  /** @throws Error if it was not accepted */
  send(notice: Notice): Promise<void>;
  close(): void;
}
