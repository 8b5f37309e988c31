import { type Writable } from 'node:stream';

/** A piece for the socket ends with the message that reaches this size. */
const BURST_BYTES = 64 * 1024;

/**
 * Serializes several messages where grpc-js expects one. grpc-js sends one message at a time, each after the socket has
 * accepted the previous one. It takes the message's length, writes a prefix for that length, and copies the bytes
 * behind it. The copy function here also overwrites that prefix with the first message's own, and writes the other
 * messages with theirs.
 */
export function joined(messages: readonly Buffer[]): Buffer {
  const [first] = messages;
  if (first !== undefined && messages.length === 1) return first;
  const byteLength = messages.reduce((sum, { length }) => sum + PREFIX_BYTES + length, 0);
  const copy = (target: Buffer) => {
    let at = 0;
    for (const message of messages) {
      target[at] = 0;
      target.writeUInt32BE(message.length, at + 1);
      target.set(message, at + PREFIX_BYTES);
      at += PREFIX_BYTES + message.length;
    }
  };
  return { byteLength: byteLength - PREFIX_BYTES, copy } as unknown as Buffer;
}

/** gRPC's prefix: one byte for compression, and the length. */
const PREFIX_BYTES = 5;

/** Returns the messages that go in one piece, `most` at most. */
export function burst(messages: readonly Buffer[], most: number = messages.length): Buffer[] {
  let bytes = 0;
  let count = 0;
  while (count < most && count < messages.length && (count === 0 || bytes < BURST_BYTES)) {
    bytes += messages[count++]?.length ?? 0;
  }
  return messages.slice(0, count);
}

/** Sends the messages piece by piece; resolves when the last is sent, or when the call is over. */
export async function send(call: Writable, messages: readonly Buffer[]): Promise<void> {
  for (let at = 0; at < messages.length && !call.writableEnded;) {
    const piece = burst(messages.slice(at));
    at += piece.length;
    await written(call, piece);
  }
}

/** A call that is over calls no write callback. */
const ENDS = ['cancelled', 'close', 'error'] as const;

function written(call: Writable, piece: readonly Buffer[]): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      for (const event of ENDS) call.off(event, done);
      resolve();
    };
    for (const event of ENDS) call.on(event, done);
    call.write(piece, done);
  });
}

/** Gives all other waiting work on the event loop a turn. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
