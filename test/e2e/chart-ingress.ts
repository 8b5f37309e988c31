import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { type Manifest, ofKind } from '../contract/chart.js';

interface IngressPath {
  readonly path: string;
  readonly backend: { readonly service: { readonly name: string } };
}

/** An ingress controller in miniature. */
export interface ChartIngress {
  readonly url: string;
  /** The component and the path of each request, the oldest first. */
  readonly routed: readonly (readonly [component: string, path: string])[];
  stop(): Promise<void>;
}

/**
 * Serves the rendered Ingress: each request goes to the component behind the longest path that is its prefix.
 * @param portOf the public port of a component's pod
 */
export async function serveIngress(
  manifests: () => readonly Manifest[],
  portOf: (component: string) => number | undefined,
): Promise<ChartIngress> {
  const routed: (readonly [string, string])[] = [];
  const server = createServer((incoming, outgoing) => {
    const component = componentOf(manifests(), incoming.url ?? '/');
    routed.push([component, incoming.url ?? '/']);
    passOn(incoming, outgoing, portOf(component));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    routed,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function componentOf(manifests: readonly Manifest[], path: string): string {
  const [ingress] = ofKind(manifests, 'Ingress');
  const [rule] = ingress?.spec['rules'] as { readonly http: { readonly paths: IngressPath[] } }[];
  const [found] = (rule?.http.paths ?? [])
    .filter((each) => `${path}/`.startsWith(each.path.replace(/\/?$/, '/')))
    .sort((one, other) => other.path.length - one.path.length);
  const service = ofKind(manifests, 'Service').find(
    ({ metadata }) => metadata.name === found?.backend.service.name,
  );
  const selector = service?.spec['selector'] as Readonly<Record<string, string>> | undefined;
  return selector?.['app.kubernetes.io/component'] ?? '';
}

function passOn(incoming: IncomingMessage, outgoing: ServerResponse, port = 0): void {
  const headers = { ...incoming.headers, 'x-forwarded-for': incoming.socket.remoteAddress };
  const options = { host: '127.0.0.1', port, method: incoming.method, path: incoming.url, headers };
  const onward = request(options, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(outgoing);
  });
  onward.on('error', () => outgoing.destroy());
  incoming.pipe(onward);
}
