import { type ClientReadableStream } from '@grpc/grpc-js';
import { type ClientHttp2Stream, type Http2Session } from 'node:http2';

/** What grpc-js keeps of a call beside its HTTP/2 stream. Its version is pinned by the lock file. */
interface WireCall {
  readonly http2Stream: ClientHttp2Stream;
  readonly canPush: boolean;
  readonly isPushPending: boolean;
  unpushedReadMessages: Buffer[];
  tryPush: (message: Buffer) => void;
}

/** Where grpc-js keeps the call below a call, from the one that its users see to the one on the wire. */
const below = ['call', 'nextCall', 'child'] as const;
const maxDepth = 12;
/** gRPC's: whether the message is compressed, and its length. */
const prefixBytes = 5;
/** What the server may send before it is asked for more: some thousand events, so that it seldom waits for us. */
const windowBytes = 2 * 1024 * 1024;

/** The messages of a call, taken where they are cut out of the HTTP/2 stream. */
export interface DirectMessages {
  pause(): void;
  resume(): void;
}

/**
 * Takes a call's messages from below grpc-js, which hands each one through eight layers, two promises and a turn of its
 * own: more than all that is done with an event. How the call ends is still told by grpc-js. Called while the call hands
 * on a message: no other one is on its way up then.
 * @returns undefined where grpc-js is not as it is known here: its messages come as ever
 */
export function takeMessages(
  call: ClientReadableStream<Buffer>,
  onMessage: (message: Buffer) => void,
): DirectMessages | undefined {
  const wire = wireCallOf(call);
  if (!wire || wire.canPush || wire.isPushPending) return undefined;
  const { http2Stream } = wire;
  const take = (message: Buffer): void => {
    if (message[0] === 0) onMessage(message.subarray(prefixBytes));
    // Where the first message was not compressed no other one may be.
    else
      setImmediate(() => {
        call.cancel();
      });
  };
  const waiting = wire.unpushedReadMessages;
  wire.unpushedReadMessages = [];
  wire.tryPush = take;
  for (const message of waiting) take(message);
  widen(http2Stream);
  return {
    pause: () => http2Stream.pause(),
    resume: () => http2Stream.resume(),
  };
}

/** Connections whose window was widened: each setting waits for the server's word, and too many that wait end it. */
const widened = new WeakSet<Http2Session>();

function widen({ session }: ClientHttp2Stream): void {
  if (!session || session.closed || session.destroyed || widened.has(session)) return;
  widened.add(session);
  session.settings({ initialWindowSize: windowBytes });
  session.setLocalWindowSize(windowBytes);
}

function wireCallOf(call: object): WireCall | undefined {
  let at: object = call;
  for (let depth = 0; depth < maxDepth; depth += 1) {
    if (isWireCall(at)) return at;
    const next = childOf(at);
    if (!next) return undefined;
    at = next;
  }
  return undefined;
}

function childOf(call: object): object | undefined {
  const members = call as Readonly<Record<string, unknown>>;
  for (const name of below) {
    const child = members[name];
    if (typeof child === 'object' && child !== null) return child;
  }
  // Of calls that may be retried: the one try that there is.
  const tries = members['underlyingCalls'];
  const [only, ...others] = Array.isArray(tries) ? (tries as unknown[]) : [];
  return others.length === 0 && typeof only === 'object' && only !== null ? only : undefined;
}

function isWireCall(call: object): call is WireCall {
  return (
    'http2Stream' in call &&
    'canPush' in call &&
    'isPushPending' in call &&
    'unpushedReadMessages' in call &&
    Array.isArray(call.unpushedReadMessages) &&
    'tryPush' in call &&
    typeof call.tryPush === 'function'
  );
}
