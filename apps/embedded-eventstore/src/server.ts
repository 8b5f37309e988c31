import {
  type Metadata,
  Server,
  ServerCredentials,
  type StatusObject,
  type UntypedHandleCall,
} from '@grpc/grpc-js';
import { ActiveCalls } from './rpc/active-calls.js';
import { append } from './rpc/append.js';
import { batchAppend } from './rpc/batch-append.js';
import { deleteStream, tombstoneStream } from './rpc/delete.js';
import { gossipRead, supportedMethods } from './rpc/discovery.js';
import { type LiveHub } from './rpc/live-hub.js';
import { joined } from './rpc/pacing.js';
import { read } from './rpc/read.js';
import { type EventLog } from './store/event-log.js';
import { type GroupWriter } from './store/group-writer.js';
import { GossipService, ServerFeaturesService, StreamsService } from './wire/generated.js';
import { rightsOf, type Users } from './rights.js';
import { type ReadReq } from './rpc/read-request.js';

export interface ServerSettings extends Users {
  readonly host: string;
  /** 0 takes a free port. */
  readonly port: number;
  /** If undefined, the server speaks plain text. */
  readonly tls: { readonly certificate: Buffer; readonly key: Buffer } | undefined;
}

/** The parts of the store that the server uses. */
export interface Store {
  readonly log: EventLog;
  readonly writer: GroupWriter;
  readonly hub: LiveHub;
}

export interface RunningServer {
  readonly port: number;
  /** Ends every call with a suitable status, once the current writes are durable. */
  stop(): Promise<void>;
}

/** Calls that do not end by themselves are cut off after this time. */
const STOP_PATIENCE_MS = 2000;
/** The client appends in messages of up to 3 MiB. */
const MAX_MESSAGE_BYTES = 8 * 1024 * 1024;

const asIs = (bytes: Buffer) => bytes;
/** Appends and events travel as bytes (see wire/), several messages in one write. */
const STREAMS = {
  read: { ...StreamsService.read, responseSerialize: joined },
  append: { ...StreamsService.append, requestDeserialize: asIs, responseSerialize: asIs },
  batchAppend: {
    ...StreamsService.batchAppend,
    requestDeserialize: asIs,
    responseSerialize: joined,
  },
  delete: StreamsService.delete,
  tombstone: StreamsService.tombstone,
};

type Reply = (status: StatusObject) => void;
interface AnyCall {
  readonly metadata: Metadata;
  readonly request?: unknown;
  emit(event: 'error', status: StatusObject): boolean;
}
/** Wraps the handler in a check of the caller. */
function guarded(check: (call: AnyCall) => StatusObject | undefined, handler: unknown) {
  const inner = handler as (call: AnyCall, reply?: Reply) => void;
  return ((call: AnyCall, reply?: Reply) => {
    const refused = check(call);
    if (refused === undefined) inner(call, reply);
    else if (reply !== undefined) reply(refused);
    else call.emit('error', refused);
  }) as UntypedHandleCall;
}

function bind(server: Server, settings: ServerSettings): Promise<number> {
  const { host, port, tls } = settings;
  const credentials =
    tls === undefined
      ? ServerCredentials.createInsecure()
      : ServerCredentials.createSsl(null, [{ cert_chain: tls.certificate, private_key: tls.key }]);
  return new Promise((resolve, reject) => {
    server.bindAsync(`${host}:${port}`, credentials, (error, bound) => {
      if (error === null) resolve(bound);
      else reject(error);
    });
  });
}

/**
 * Serves the store.
 * @throws if the port cannot be bound
 */
export async function startServer(store: Store, settings: ServerSettings): Promise<RunningServer> {
  const { log, writer, hub } = store;
  const calls = new ActiveCalls();
  const rights = rightsOf(settings, log);
  const check = ({ metadata }: AnyCall) => rights.calls(metadata);
  const checkRead = ({ metadata, request }: AnyCall) =>
    rights.calls(metadata) ?? rights.reads(metadata, request as ReadReq);
  const server = new Server({ 'grpc.max_receive_message_length': MAX_MESSAGE_BYTES });
  let port = 0;
  server.addService(STREAMS, {
    read: guarded(checkRead, read(log, hub, calls)),
    append: guarded(check, append(writer, calls)),
    batchAppend: guarded(check, batchAppend(writer, calls)),
    delete: guarded(check, deleteStream(writer)),
    tombstone: guarded(check, tombstoneStream(writer)),
  });
  server.addService(ServerFeaturesService, { getSupportedMethods: supportedMethods() });
  server.addService(GossipService, { read: gossipRead(settings.host, () => port) });
  port = await bind(server, settings);
  return {
    port,
    async stop() {
      await writer.close();
      calls.endAll();
      await new Promise<void>((resolve) => {
        const patience = setTimeout(() => {
          server.forceShutdown();
        }, STOP_PATIENCE_MS);
        server.tryShutdown(() => {
          clearTimeout(patience);
          resolve();
        });
      });
    },
  };
}
