/**
 * The messages and service definitions that the client package ships. They are CommonJS without named
 * exports, so this is the only file that imports them.
 */
import code from '@eventstore/db-client/generated/code_pb.js';
import gossipGrpc from '@eventstore/db-client/generated/gossip_grpc_pb.js';
import gossip from '@eventstore/db-client/generated/gossip_pb.js';
import featuresGrpc from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js';
import features from '@eventstore/db-client/generated/serverfeatures_pb.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import status from '@eventstore/db-client/generated/status_pb.js';
import streamsGrpc from '@eventstore/db-client/generated/streams_grpc_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';

export { features, gossip, shared, status, streams };
export const { Code } = code;
export const { GossipService } = gossipGrpc;
export const { ServerFeaturesService } = featuresGrpc;
export const { StreamsService } = streamsGrpc;
