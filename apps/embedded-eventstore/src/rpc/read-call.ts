import { type ServerWritableStream } from '@grpc/grpc-js';
import { type ReadReq } from './read-request.js';

/** One Streams.Read in progress; what is written to it is ready-made ReadResp messages. */
export type ReadCall = ServerWritableStream<ReadReq, Buffer>;
