/**
 * Traces of requests (docs/adr/0070). A span's context travels as a W3C traceparent: in events' metadata, and in the
 * header of requests from and to merchants. A context exists only if its trace is recorded.
 */

type SpanKind = 'server' | 'client' | 'internal' | 'consumer';

/** Facts that this service makes itself: codes, counts, patterns of routes. Never a reference, a URL or a phone number. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | undefined>>;

export interface Span {
  /** For the code that continues the trace. */
  readonly traceparent: string;
  /** Ends the span, once. @param isError true if it failed by our own fault or a server's */
  end(attributes?: SpanAttributes, isError?: boolean): void;
}

export interface Tracing {
  /**
   * Begins the span of a request from outside.
   * @param sent the caller's traceparent header
   * @returns undefined if the draw does not record it
   */
  begin(name: string, sent?: string): Span | undefined;
  /**
   * Continues a recorded trace.
   * @param parent a traceparent that this service made; if it is undefined, there is nothing to record
   * @param since the span's start by `performance.now()`; now if absent
   */
  continue(
    name: string,
    kind: Exclude<SpanKind, 'server'>,
    parent: string | undefined,
    since?: number,
  ): Span | undefined;
  /** Sends the spans that wait. */
  close(): Promise<void>;
}

/**
 * Undefined unless OTEL_EXPORTER_OTLP_ENDPOINT is set. Code writes `tracing?.continue(…)`: reading one variable is then
 * the whole cost. The variable belongs to the process, as the settings do.
 */
export let tracing: Tracing | undefined;

/** Call this once, before the process connects to any server. Undefined ends tracing; specs do so. */
export function useTracing(started: Tracing | undefined): void {
  tracing = started;
}

/** A context that a caller or an event named. */
export interface TraceContext {
  readonly traceId: string;
  readonly spanId: string;
}

const traceparentPattern = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(?:-.*)?$/;
const form = /^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/;

export function traceparentOf({ traceId, spanId }: TraceContext): string {
  return `00-${traceId}-${spanId}-01`;
}

/** Returns the context in a traceparent that this service made; undefined if it has another form. */
export function ownContext(traceparent: string): TraceContext | undefined {
  return form.test(traceparent) ? contextIn(traceparent) : undefined;
}

/**
 * Returns the context that a caller sent. An id of digits alone is not accepted: it could be a phone number (ERR-12).
 * So an all-zero id, which W3C forbids, is not accepted either.
 */
export function sentContext(header: string | undefined): TraceContext | undefined {
  const context = header === undefined || header.startsWith('ff') ? undefined : contextIn(header);
  const isFit = (id: string): boolean => /[a-f]/.test(id);
  return context && isFit(context.traceId) && isFit(context.spanId) ? context : undefined;
}

function contextIn(text: string): TraceContext | undefined {
  const [, traceId, spanId] = traceparentPattern.exec(text) ?? [];
  return traceId === undefined || spanId === undefined ? undefined : { traceId, spanId };
}

/** The members of a log line that belongs to a recorded trace. */
export function traceMembers(traceparent: string | undefined): {
  readonly trace_id?: string;
  readonly span_id?: string;
} {
  const context = traceparent === undefined ? undefined : ownContext(traceparent);
  return context ? { trace_id: context.traceId, span_id: context.spanId } : {};
}
