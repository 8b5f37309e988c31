import gossipGrpc from '@eventstore/db-client/generated/gossip_grpc_pb.js';
import gossip from '@eventstore/db-client/generated/gossip_pb.js';
import featuresGrpc from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js';
import features from '@eventstore/db-client/generated/serverfeatures_pb.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import streamsGrpc from '@eventstore/db-client/generated/streams_grpc_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import {
  type handleClientStreamingCall,
  type handleUnaryCall,
  type Metadata,
  Metadata as GrpcMetadata,
  Server,
  ServerCredentials,
  type ServerDuplexStream,
  type ServerWritableStream,
  status,
} from '@grpc/grpc-js';
import { randomUUID } from 'node:crypto';

export type ReadCall = ServerWritableStream<
  InstanceType<typeof streams.ReadReq>,
  InstanceType<typeof streams.ReadResp>
>;
export type BatchCall = ServerDuplexStream<
  InstanceType<typeof streams.BatchAppendReq>,
  InstanceType<typeof streams.BatchAppendResp>
>;

export type BatchRequest = InstanceType<typeof streams.BatchAppendReq>;
export type BatchAnswer = InstanceType<typeof streams.BatchAppendResp>;
type AppendRequest = InstanceType<typeof streams.AppendReq>;
type AppendAnswer = InstanceType<typeof streams.AppendResp>;

type Cluster = InstanceType<typeof gossip.ClusterInfo>;
type Methods = InstanceType<typeof features.SupportedMethods>;

/** The calls that a fake node answers; it does not answer the others. */
export interface Behaviour {
  /** Port of the node that its gossip names as the leader. */
  leader?: () => number;
  onRead?: (call: ReadCall) => void;
  onBatchAppend?: (call: BatchCall) => void;
  /** Answers Append; the node then does not advertise BatchAppend. */
  onAppend?: handleClientStreamingCall<AppendRequest, AppendAnswer>;
}

/** A node of a cluster as the client sees it: gossip, features, and calls that a test answers. */
export class FakeNode {
  readonly #server = new Server();
  readonly behaviour: Behaviour;
  /** Metadata of the calls of Streams, by method. */
  readonly calls: { method: 'read' | 'batchAppend'; metadata: Metadata }[] = [];
  port = 0;

  private constructor(behaviour: Behaviour) {
    this.behaviour = behaviour;
    const read: handleUnaryCall<unknown, Cluster> = (_call, answer) => {
      answer(null, clusterOf(behaviour.leader?.() ?? this.port));
    };
    this.#server.addService(gossipGrpc.GossipService, { read });
    this.#server.addService(featuresGrpc.ServerFeaturesService, {
      getSupportedMethods: supports(behaviour.onAppend ? [] : ['batchappend']),
    });
    this.#server.addService(streamsGrpc.StreamsService, {
      read: (call: ReadCall) => {
        this.calls.push({ method: 'read', metadata: call.metadata });
        behaviour.onRead?.(call);
      },
      batchAppend: (call: BatchCall) => {
        this.calls.push({ method: 'batchAppend', metadata: call.metadata });
        behaviour.onBatchAppend?.(call);
      },
      ...(behaviour.onAppend && { append: behaviour.onAppend }),
    });
  }

  /** @param port 0 uses a free one */
  static async start(behaviour: Behaviour, port = 0): Promise<FakeNode> {
    const node = new FakeNode(behaviour);
    node.port = await new Promise<number>((resolve, reject) => {
      node.#server.bindAsync(
        `127.0.0.1:${port}`,
        ServerCredentials.createInsecure(),
        (error, bound) => {
          if (error) reject(error);
          else resolve(bound);
        },
      );
    });
    return node;
  }

  stop(): void {
    this.#server.forceShutdown();
  }
}

function supports(names: readonly string[]): handleUnaryCall<unknown, Methods> {
  const methods = names.map((name) =>
    new features.SupportedMethod()
      .setServiceName('event_store.client.streams.streams')
      .setMethodName(name),
  );
  return (_call, answer) => {
    answer(null, new features.SupportedMethods().setMethodsList(methods));
  };
}

/** Two members. A client that ignored their states would choose the wrong one. */
function clusterOf(leaderPort: number): Cluster {
  const { FOLLOWER, LEADER } = gossip.MemberInfo.VNodeState;
  const member = (state: typeof FOLLOWER | typeof LEADER, port: number) =>
    new gossip.MemberInfo()
      .setState(state)
      .setIsAlive(true)
      .setTimeStamp('0')
      .setHttpEndPoint(new gossip.EndPoint().setAddress('127.0.0.1').setPort(port));
  return new gossip.ClusterInfo().setMembersList([member(FOLLOWER, 1), member(LEADER, leaderPort)]);
}

/** The error with which a node that no longer leads ends a call: `call.emit('error', notLeader(port))`. */
export function notLeader(leaderPort: number) {
  const metadata = new GrpcMetadata();
  metadata.set('exception', 'not-leader');
  metadata.set('leader-endpoint-host', '127.0.0.1');
  metadata.set('leader-endpoint-port', String(leaderPort));
  return Object.assign(new Error('Leader info available'), { code: status.NOT_FOUND, metadata });
}

/** The first answer of a subscription. */
export function confirmation(): InstanceType<typeof streams.ReadResp> {
  const confirmed = new streams.ReadResp.SubscriptionConfirmation().setSubscriptionId('s');
  return new streams.ReadResp().setConfirmation(confirmed);
}

/** A checkpoint of a filtered subscription. */
export function checkpointAt(position: number): InstanceType<typeof streams.ReadResp> {
  const checkpoint = new streams.ReadResp.Checkpoint()
    .setCommitPosition(String(position))
    .setPreparePosition(String(position));
  return new streams.ReadResp().setCheckpoint(checkpoint);
}

/** A message that a reader skips, of a little more than this number of bytes. */
export function passedOver(bytes: number): InstanceType<typeof streams.ReadResp> {
  const name = new shared.StreamIdentifier().setStreamName(Buffer.alloc(bytes));
  const missing = new streams.ReadResp.StreamNotFound().setStreamIdentifier(name);
  return new streams.ReadResp().setStreamNotFound(missing);
}

/** An event at this position of the log. */
export function recordedAt(position: number): InstanceType<typeof streams.ReadResp> {
  const id = new shared.UUID().setString(randomUUID());
  const stream = new shared.StreamIdentifier().setStreamName(Buffer.from('other-1'));
  const record = new streams.ReadResp.ReadEvent.RecordedEvent()
    .setId(id)
    .setStreamIdentifier(stream)
    .setCommitPosition(String(position))
    .setPreparePosition(String(position));
  return new streams.ReadResp().setEvent(new streams.ReadResp.ReadEvent().setEvent(record));
}

/** An event that no server sends. */
export function withoutId(): InstanceType<typeof streams.ReadResp> {
  const event = new streams.ReadResp.ReadEvent.RecordedEvent();
  return new streams.ReadResp().setEvent(new streams.ReadResp.ReadEvent().setEvent(event));
}

/** The answer that the append was written with this revision of the stream, at that position. */
export function written(request: BatchRequest, revision: number, position: number): BatchAnswer {
  const at = new shared.AllStreamPosition()
    .setCommitPosition(String(position))
    .setPreparePosition(String(position));
  const success = new streams.BatchAppendResp.Success()
    .setCurrentRevision(String(revision))
    .setPosition(at);
  return new streams.BatchAppendResp()
    .setCorrelationId(request.getCorrelationId())
    .setSuccess(success);
}

/** The answer of Append, which names no append since the call consists of one. */
export function writtenAlone(revision: number, position: number): AppendAnswer {
  const at = new streams.AppendResp.Position()
    .setCommitPosition(String(position))
    .setPreparePosition(String(position));
  const success = new streams.AppendResp.Success()
    .setCurrentRevision(String(revision))
    .setPosition(at);
  return new streams.AppendResp().setSuccess(success);
}
