import {
  type handleClientStreamingCall,
  type sendUnaryData,
  type ServerReadableStream,
} from '@grpc/grpc-js';
import { type Outcome } from '../store/commands.js';
import { type GroupWriter } from '../store/group-writer.js';
import {
  type AppendOptions,
  decodeAppend,
  type ExpectedRevision,
} from '../wire/append-requests.js';
import { shared, streams } from '../wire/generated.js';
import { type ActiveCalls } from './active-calls.js';
import { AppendParts } from './append-parts.js';
import { invalidArgument, refusalStatus, shuttingDownAppends } from './errors.js';
import { invalidStreamName } from './fields.js';

type Written = Extract<Outcome, { kind: 'written' }>;

/** Collects the call's messages: the options first, then the events. */
async function receive(
  call: ServerReadableStream<Buffer, Buffer>,
): Promise<{ options: AppendOptions; parts: AppendParts }> {
  let options: AppendOptions | undefined;
  const parts = new AppendParts();
  for await (const bytes of call as AsyncIterable<Buffer>) {
    const message = decodeAppend(bytes);
    options ??= message.options;
    if (message.event !== undefined) parts.add(message.event);
  }
  if (options === undefined) throw new RangeError('the append has no options');
  const invalid = invalidStreamName(options.stream);
  if (invalid !== undefined) throw new RangeError(invalid);
  return { options, parts };
}

function success({ revision, position }: Written): Buffer {
  const body = new streams.AppendResp.Success();
  if (revision < 0) body.setNoStream(new shared.Empty());
  else body.setCurrentRevision(revision.toString());
  if (position === undefined) body.setNoPosition(new shared.Empty());
  else {
    const where = new streams.AppendResp.Position();
    where.setCommitPosition(position.toString());
    where.setPreparePosition(position.toString());
    body.setPosition(where);
  }
  const reply = new streams.AppendResp();
  reply.setSuccess(body);
  return Buffer.from(reply.serializeBinary());
}

function wrongExpected(actual: number, expected: ExpectedRevision): Buffer {
  const body = new streams.AppendResp.WrongExpectedVersion();
  if (actual < 0) body.setCurrentNoStream(new shared.Empty());
  else body.setCurrentRevision(actual.toString());
  if (expected === 'any') body.setExpectedAny(new shared.Empty());
  else if (expected === 'stream_exists') body.setExpectedStreamExists(new shared.Empty());
  else if (expected === 'no_stream') body.setExpectedNoStream(new shared.Empty());
  else body.setExpectedRevision(expected.toString());
  const reply = new streams.AppendResp();
  reply.setWrongExpectedVersion(body);
  return Buffer.from(reply.serializeBinary());
}

/**
 * Streams.Append, which the client uses for credentials per call. gRPC handles the call's deadline. When the server
 * stops, a call whose events are still arriving is answered UNAVAILABLE; nothing of it is written.
 */
export function append(
  writer: GroupWriter,
  calls: ActiveCalls,
): handleClientStreamingCall<Buffer, Buffer> {
  return (call, reply) => {
    let answered = false;
    const answer: sendUnaryData<Buffer> = (error, value) => {
      calls.forget(call);
      if (answered) return;
      answered = true;
      reply(error, value);
    };
    calls.add(call, () => {
      answer(shuttingDownAppends());
    });
    void answerAppend(call, writer, answer);
  };
}

async function answerAppend(
  call: ServerReadableStream<Buffer, Buffer>,
  writer: GroupWriter,
  answer: sendUnaryData<Buffer>,
): Promise<void> {
  try {
    const { options, parts } = await receive(call);
    const { stream, expected } = options;
    const outcome: Outcome = parts.tooLarge
      ? { kind: 'too-large' }
      : await writer.submit({ kind: 'append', ...options, events: parts.events });
    if (outcome.kind === 'written') answer(null, success(outcome));
    else if (outcome.kind === 'wrong-expected') {
      answer(null, wrongExpected(outcome.actual, expected));
    } else answer(refusalStatus(outcome, stream.toString('utf8'), expected));
  } catch (error) {
    answer(invalidArgument(error instanceof Error ? error.message : 'unreadable append'));
  }
}
