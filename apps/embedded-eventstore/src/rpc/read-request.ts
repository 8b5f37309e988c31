import { type ServerWritableStream, status, type StatusObject } from '@grpc/grpc-js';
import { frameStream, frameType } from '../wire/frame.js';
import { streams } from '../wire/generated.js';
import { failure, handlerFailed, invalidArgument } from './errors.js';
import { invalidStreamName, parsePlace, parseUint64 } from './fields.js';

export type ReadReq = InstanceType<typeof streams.ReadReq>;

/** One Streams.Read in progress, to which ready-made ReadResp messages are written. */
export type ReadCall = ServerWritableStream<ReadReq, readonly Buffer[]>;

type Options = NonNullable<ReturnType<ReadReq['getOptions']>>;
type FilterOptions = NonNullable<ReturnType<Options['getFilter']>>;
type Expression = NonNullable<ReturnType<FilterOptions['getEventType']>>;

/** A revision of a stream or a position of the log. */
export type ReadFrom = 'start' | 'end' | number;

export interface Filter {
  readonly matches: (frame: Buffer) => boolean;
  /** A checkpoint is due after this many considered events. */
  readonly checkpointEvery: number;
}

interface Common {
  readonly from: ReadFrom;
  readonly backwards: boolean;
  readonly count: number;
  readonly subscription: boolean;
}

export type ReadRequest =
  | (Common & { readonly target: 'stream'; readonly stream: Buffer })
  | (Common & { readonly target: 'all'; readonly filter: Filter | undefined });

/** Considered events per checkpoint interval if the client names no window: EventStoreDB's default. */
const DEFAULT_SEARCH_WINDOW = 32;

/** Returns the parsed request, or the status that refuses it. */
export function parseReadRequest(request: ReadReq): ReadRequest | { refused: StatusObject } {
  const options = request.getOptions();
  if (options === undefined) return { refused: invalidArgument('the request has no options') };
  if (options.getUuidOption()?.hasStructured() === true) return unimplemented('structured UUIDs');
  if (options.getResolveLinks()) return unimplemented('resolving links');
  const subscription = options.hasSubscription();
  const common = {
    backwards: options.getReadDirection() === streams.ReadReq.Options.ReadDirection.BACKWARDS,
    count: subscription ? Infinity : parseUint64(options.getCount()),
    subscription,
  };
  const all = options.getAll();
  if (all !== undefined) {
    const filter = parseFilter(options.getFilter());
    if (filter !== undefined && 'refused' in filter) return filter;
    const from = positionOf(all);
    if (from === undefined) return { refused: handlerFailed() };
    return { target: 'all', ...common, from, filter };
  }
  const one = options.getStream();
  const stream = Buffer.from(one?.getStreamIdentifier()?.getStreamName_asU8() ?? []);
  const invalid = invalidStreamName(stream);
  if (one === undefined || invalid !== undefined) {
    return { refused: invalidArgument(invalid ?? 'the request names neither a stream nor $all') };
  }
  const from = one.hasRevision() ? parsePlace(one.getRevision()) : startOrEnd(one);
  if (from === undefined) return { refused: handlerFailed() };
  return { target: 'stream', stream, ...common, from };
}

/** Returns the commit position; undefined if the two numbers are no position. */
function positionOf(all: NonNullable<ReturnType<Options['getAll']>>): ReadFrom | undefined {
  const position = all.getPosition();
  if (position === undefined) return startOrEnd(all);
  const commit = parsePlace(position.getCommitPosition());
  const prepare = parsePlace(position.getPreparePosition());
  if (commit === undefined || prepare === undefined) return undefined;
  const [upper, lower] = [commit, prepare].map((part) => (part === 'end' ? Infinity : part));
  return (lower ?? 0) > (upper ?? 0) ? undefined : commit;
}

function startOrEnd(options: { hasEnd(): boolean }): ReadFrom {
  return options.hasEnd() ? 'end' : 'start';
}

function unimplemented(what: string): { refused: StatusObject } {
  const details = `the embedded event store does not support ${what}`;
  return { refused: failure(status.UNIMPLEMENTED, details) };
}

function parseFilter(
  options: FilterOptions | undefined,
): Filter | { refused: StatusObject } | undefined {
  if (options === undefined) return undefined;
  const interval = options.getCheckpointintervalmultiplier();
  if (interval === 0) return { refused: invalidArgument('the checkpoint interval is 0') };
  const window = options.hasMax() ? options.getMax() : DEFAULT_SEARCH_WINDOW;
  const checkpointEvery = Math.max(1, window) * interval;
  const byStream = options.getStreamIdentifier();
  const expression = byStream ?? options.getEventType();
  if (expression === undefined) return { refused: invalidArgument('the filter is empty') };
  const field = byStream === undefined ? frameType : frameStream;
  try {
    const accepts = acceptor(expression);
    return { checkpointEvery, matches: (frame) => accepts(field(frame)) };
  } catch (error) {
    return { refused: invalidArgument(error instanceof Error ? error.message : 'bad filter') };
  }
}

/** @throws SyntaxError if the regular expression is invalid */
function acceptor(expression: Expression): (field: Buffer) => boolean {
  const regex = expression.getRegex();
  if (regex !== '') {
    const pattern = new RegExp(regex, 'u');
    return (field) => pattern.test(field.toString('utf8'));
  }
  const prefixes = expression.getPrefixList().map((prefix) => Buffer.from(prefix, 'utf8'));
  return (field) => prefixes.some((prefix) => startsWith(field, prefix));
}

function startsWith(field: Buffer, prefix: Buffer): boolean {
  if (field.length < prefix.length) return false;
  for (let at = 0; at < prefix.length; at++) if (field[at] !== prefix[at]) return false;
  return true;
}
