import { type handleUnaryCall } from '@grpc/grpc-js';
import { type DeleteCommand } from '../store/commands.js';
import { type GroupWriter } from '../store/group-writer.js';
import { type ExpectedRevision } from '../wire/append-requests.js';
import { streams } from '../wire/generated.js';
import { invalidArgument, refusalStatus } from './errors.js';
import { invalidStreamName, parseUint64 } from './fields.js';

type DeleteReq = InstanceType<typeof streams.DeleteReq>;
type TombstoneReq = InstanceType<typeof streams.TombstoneReq>;
type DeleteResp = InstanceType<typeof streams.DeleteResp>;
type TombstoneResp = InstanceType<typeof streams.TombstoneResp>;
type Options = NonNullable<ReturnType<DeleteReq['getOptions'] | TombstoneReq['getOptions']>>;

function expectedOf(options: Options): ExpectedRevision {
  if (options.hasRevision()) return parseUint64(options.getRevision());
  if (options.hasNoStream()) return 'no_stream';
  return options.hasStreamExists() ? 'stream_exists' : 'any';
}

/** Reads the request. A string is the message of an invalid one. */
function commandOf(
  kind: DeleteCommand['kind'],
  options: Options | undefined,
): DeleteCommand | string {
  if (options === undefined) return 'the request has no options';
  const stream = Buffer.from(options.getStreamIdentifier()?.getStreamName_asU8() ?? []);
  return invalidStreamName(stream) ?? { kind, stream, expected: expectedOf(options) };
}

/** Streams.Delete: the stream reads as missing until a new event starts it again. */
export function deleteStream(writer: GroupWriter): handleUnaryCall<DeleteReq, DeleteResp> {
  return (call, reply) => {
    void run(writer, commandOf('delete', call.request.getOptions()), (status, text) => {
      if (status !== undefined) {
        reply(status);
        return;
      }
      const position = new streams.DeleteResp.Position();
      position.setCommitPosition(text);
      position.setPreparePosition(text);
      const response = new streams.DeleteResp();
      response.setPosition(position);
      reply(null, response);
    });
  };
}

/** Streams.Tombstone: the stream is gone for ever. */
export function tombstoneStream(writer: GroupWriter): handleUnaryCall<TombstoneReq, TombstoneResp> {
  return (call, reply) => {
    void run(writer, commandOf('tombstone', call.request.getOptions()), (status, text) => {
      if (status !== undefined) {
        reply(status);
        return;
      }
      const position = new streams.TombstoneResp.Position();
      position.setCommitPosition(text);
      position.setPreparePosition(text);
      const response = new streams.TombstoneResp();
      response.setPosition(position);
      reply(null, response);
    });
  };
}

async function run(
  writer: GroupWriter,
  command: DeleteCommand | string,
  tell: (status: ReturnType<typeof invalidArgument> | undefined, position: string) => void,
): Promise<void> {
  if (typeof command === 'string') {
    tell(invalidArgument(command), '');
    return;
  }
  const outcome = await writer.submit(command);
  if (outcome.kind === 'written') tell(undefined, (outcome.position ?? 0).toString());
  else tell(refusalStatus(outcome, command.stream.toString('utf8'), command.expected), '');
}
