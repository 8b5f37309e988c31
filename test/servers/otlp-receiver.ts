import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo } from 'node:net';

/** A span as a collector gets it by OTLP over HTTP in JSON. */
export interface ReceivedSpan {
  readonly service: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: Readonly<Record<string, string | number | boolean>>;
}

export interface OtlpReceiver {
  readonly url: string;
  /** All spans so far. */
  readonly spans: readonly ReceivedSpan[];
  /** The bodies of a kind of data, as they came. */
  bodiesOf(kind: 'traces' | 'metrics' | 'logs'): readonly string[];
  /** The headers of the last request. */
  readonly lastHeaders: () => IncomingMessage['headers'];
  /** From now on answers with this status. */
  answer(status: number): void;
  stop(): Promise<void>;
}

interface AnyValue {
  readonly stringValue?: string;
  readonly intValue?: number | string;
  readonly boolValue?: boolean;
}

type Attributes = readonly { readonly key: string; readonly value: AnyValue }[];

interface Export {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: Attributes };
    readonly scopeSpans: readonly {
      readonly spans: readonly (Omit<ReceivedSpan, 'service' | 'attributes'> & {
        readonly attributes: Attributes;
      })[];
    }[];
  }[];
}

/** A double of an OpenTelemetry collector: it keeps what processes send. */
export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  const received: { readonly target: string | undefined; readonly body: string }[] = [];
  let [status, headers]: [number, IncomingMessage['headers']] = [200, {}];
  const server = createServer((request, response) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const body = Buffer.concat(chunks).toString();
      headers = request.headers;
      received.push({ target: request.url, body });
      if (request.url === '/v1/traces' && status === 200) spans.push(...spansIn(body));
      response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
    })();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    bodiesOf: (kind) =>
      received.filter(({ target }) => target === `/v1/${kind}`).map(({ body }) => body),
    lastHeaders: () => headers,
    answer: (next) => {
      status = next;
    },
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function spansIn(body: string): ReceivedSpan[] {
  const { resourceSpans } = JSON.parse(body) as Export;
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = String(valuesOf(resource.attributes)['service.name']);
    return scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({ ...span, service, attributes: valuesOf(span.attributes) })),
    );
  });
}

function valuesOf(attributes: Attributes): ReceivedSpan['attributes'] {
  return Object.fromEntries(
    attributes.map(({ key, value: { stringValue, intValue, boolValue } }) => [
      key,
      stringValue ?? (intValue === undefined ? (boolValue ?? '') : Number(intValue)),
    ]),
  );
}
