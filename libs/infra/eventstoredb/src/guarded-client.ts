import { convertToCommandError, type EventStoreDBClient } from '@eventstore/db-client';
import {
  type CallOptions,
  type Channel,
  type ChannelOptions,
  Client as GrpcClient,
  type Metadata,
} from '@grpc/grpc-js';
import { type Duplex, type Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';

/** A call of our own, and how it begins on a gRPC client of the package's channel. */
export interface OwnCall<Stream extends Readable> {
  readonly name: string;
  readonly requiresLeader: boolean;
  readonly begin: (grpc: GrpcClient, metadata: Metadata, options: CallOptions) => Stream;
}

/**
 * Private members of the package that the guards and our own calls depend on. They are checked at start, so the lock
 * file pins the package's version.
 */
interface Internals {
  GRPCStreamCreator: <Stream extends Readable>(
    Client: typeof GrpcClient,
    debugName: string,
    creator: (client: GrpcClient) => Stream,
  ) => () => Promise<Stream>;
  callArguments: (
    options: { requiresLeader: boolean },
    callOptions: CallOptions,
  ) => [Metadata, CallOptions];
  supports: (method: { path: string }) => Promise<boolean>;
  disposableStreams: Set<Duplex>;
  handleError: (client: GrpcClient, error: Error) => Promise<void>;
  createChannel: () => Promise<Channel>;
  readonly capabilities: Promise<unknown>;
}

/**
 * Bytes that a server may send ahead of a busy reader, for a call and for its connection. With HTTP/2's default of
 * 65,535, the two wait for each other after every fifty events; this value reads a log half as fast again.
 */
const sentAheadBytes = 2 ** 20;

/** The package's client with guarantees that it lacks, about its ends, its redirections and its streams. */
export class GuardedClient {
  readonly client: EventStoreDBClient;
  readonly #internals: Internals;
  readonly #channels = new Set<Channel>();
  readonly #redirecting = new Set<Promise<void>>();
  readonly #batchStreams = new Set<Duplex>();
  #closed = false;

  /** @param onBatchEnd called when a batch stream ended: with the error of the call, or undefined if the server ended it */
  constructor(client: EventStoreDBClient, onBatchEnd: (error?: Error) => void = () => undefined) {
    this.client = client;
    this.#internals = internalsOf(client);
    this.#watchStreams(onBatchEnd);
    this.#watchErrors();
    this.#watchChannels();
  }

  /** Finds a node and asks for its features, so that appends need neither. */
  async ready(): Promise<void> {
    await this.#internals.capabilities;
  }

  /** True if the server advertises the method: `/service/Method`. */
  supports(path: string): Promise<boolean> {
    return this.#internals.supports({ path });
  }

  /**
   * Begins a call of our own as the package begins its calls: on its channel, with its credentials and metadata. Its
   * errors are handled like the package's, so the client turns to the leader, and it ends with the client.
   */
  open<Stream extends Readable>({ name, requiresLeader, begin }: OwnCall<Stream>): Promise<Stream> {
    const begun = this.#internals.GRPCStreamCreator(GrpcClient, name, (grpc) =>
      begin(grpc, ...this.#internals.callArguments({ requiresLeader }, { deadline: Infinity })),
    );
    return begun();
  }

  /** Call this after NotLeaderError. It resolves once the client has turned to the leader. */
  async redirected(): Promise<void> {
    await Promise.all(this.#redirecting);
  }

  /** Ends all calls. Resolves when every stream of the client is seen closed; the client stays usable. */
  async endCalls(): Promise<void> {
    // A late answer would find its append gone from the package's table and throw an error that no code can catch.
    for (const stream of this.#batchStreams) stream.removeAllListeners('data');
    // Wait one turn, so that the package's own listeners see an end that ours saw first.
    await nextTurn();
    await this.client.dispose();
    await this.redirected();
  }

  /** Ends all calls and connections. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.endCalls();
    for (const channel of this.#channels) channel.close();
    this.#channels.clear();
  }

  #watchStreams(onBatchEnd: (error?: Error) => void): void {
    const watch = (stream: Duplex): void => {
      this.#batchStreams.add(stream);
      guardBatchStream(stream, (error) => {
        this.#batchStreams.delete(stream);
        onBatchEnd(error);
      });
    };
    this.#internals.disposableStreams = new (class extends Set<Duplex> {
      override add(stream: Duplex): this {
        // Reads are readable only. The only call that is written to is BatchAppend, ours or the package's.
        if (typeof stream.write === 'function' && typeof stream.read === 'function') watch(stream);
        return super.add(stream);
      }
    })();
  }

  /** The package handles a call's error in a promise that it does not await, so a rejection would end the process. */
  #watchErrors(): void {
    const handleError = this.#internals.handleError;
    this.#internals.handleError = (client, error) => {
      const handled = handleError(client, error).catch(() => undefined);
      this.#redirecting.add(handled);
      void handled.then(() => this.#redirecting.delete(handled));
      return handled;
    };
  }

  /** `dispose` leaves channels open, so their connections would outlive the client. */
  #watchChannels(): void {
    const createChannel = this.#internals.createChannel;
    this.#internals.createChannel = async () => {
      const channel = await createChannel();
      widenWindow(channel);
      if (this.#closed) channel.close();
      else this.#channels.add(channel);
      return channel;
    };
  }
}

/**
 * The package queues writes that meet a full buffer. If the stream breaks, it rejects the queue where no code can catch
 * the error. So every write reports free capacity, and the append lane limits the appends in flight instead.
 */
function guardBatchStream(stream: Duplex, onEnd: (error?: Error) => void): void {
  const write = stream.write.bind(stream) as (...parameters: unknown[]) => boolean;
  stream.write = (...parameters: unknown[]): boolean => {
    write(...parameters);
    return true;
  };
  let ended = false;
  const end = (error?: Error): void => {
    if (ended) return;
    ended = true;
    stream.removeAllListeners('data');
    onEnd(error && convertToCommandError(error));
  };
  stream.prependListener('error', end);
  stream.once('end', () => {
    end();
    // Our half is still open, and the package's `dispose` would wait for it for ever.
    stream.destroy();
  });
  stream.once('close', () => {
    end();
  });
}

/**
 * The package passes its options to the channel but accepts none for the channel itself. The channel reads them when it
 * connects, which it has not done yet. If it stored them elsewhere, the default window would apply.
 */
function widenWindow(channel: Channel): void {
  const { internalChannel } = channel as unknown as {
    internalChannel?: { getOptions?: () => ChannelOptions };
  };
  const options = internalChannel?.getOptions?.();
  if (options) options['grpc-node.flow_control_window'] = sentAheadBytes;
}

function internalsOf(client: EventStoreDBClient): Internals {
  const internals = client as unknown as Internals;
  const methods = [
    internals.handleError,
    internals.createChannel,
    internals.GRPCStreamCreator,
    internals.callArguments,
    internals.supports,
  ];
  if (
    !(internals.disposableStreams instanceof Set) ||
    methods.some((method) => typeof method !== 'function') ||
    !('capabilities' in internals)
  )
    throw new Error('this version of @eventstore/db-client is not the one that the guards know');
  return internals;
}
