import { randomUUID } from 'node:crypto';
import { type handleUnaryCall } from '@grpc/grpc-js';
import { features, gossip, shared, StreamsService } from '../wire/generated.js';

type Empty = InstanceType<typeof shared.Empty>;
type SupportedMethods = InstanceType<typeof features.SupportedMethods>;
type ClusterInfo = InstanceType<typeof gossip.ClusterInfo>;

/** The release whose semantics the embedded store follows. Clients only show it. */
const SERVER_VERSION = '23.10.6-embedded';

/** ServerFeatures.GetSupportedMethods: the RPCs of Streams, by which the client chooses BatchAppend. */
export function supportedMethods(): handleUnaryCall<Empty, SupportedMethods> {
  const reply = new features.SupportedMethods();
  reply.setEventStoreServerVersion(SERVER_VERSION);
  for (const { path } of Object.values(StreamsService)) {
    const [, service = '', method = ''] = path.split('/');
    const supported = new features.SupportedMethod();
    supported.setServiceName(service);
    supported.setMethodName(method.toLowerCase());
    reply.addMethods(supported);
  }
  return (_call, tell) => {
    tell(null, reply);
  };
}

/** Gossip.Read: a cluster of one node, which leads. Clients reach it at `address` and `port`. */
export function gossipRead(
  address: string,
  port: () => number,
): handleUnaryCall<Empty, ClusterInfo> {
  const instanceId = randomUUID();
  return (_call, tell) => {
    const id = new shared.UUID();
    id.setString(instanceId);
    const endpoint = new gossip.EndPoint();
    endpoint.setAddress(address);
    endpoint.setPort(port());
    const member = new gossip.MemberInfo();
    member.setInstanceId(id);
    member.setTimeStamp(`${Date.now()}0000`);
    member.setState(gossip.MemberInfo.VNodeState.LEADER);
    member.setIsAlive(true);
    member.setHttpEndPoint(endpoint);
    const info = new gossip.ClusterInfo();
    info.addMembers(member);
    tell(null, info);
  };
}
