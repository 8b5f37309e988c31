import { readFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, type Socket } from 'node:net';

/** A webhook as it arrived. */
export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly at: number;
}

/** Answers on the bare socket, so that it can imitate any faulty server. */
export type Answer = (socket: Socket, received: Received) => void;

export function status(code: number, headers = ''): Answer {
  const body = code === 204 ? '' : 'content-length: 2\r\n';
  return (socket) => {
    socket.write(`HTTP/1.1 ${code} So\r\n${body}${headers}\r\n${code === 204 ? '' : 'ok'}`);
  };
}

const tls = 'apps/embedded-eventstore/test/tls';
/** The authority that signed the receiver's certificate, which is for `localhost` and 127.0.0.1. */
export const authority = readFileSync(`${tls}/ca.pem`, 'utf8');

/** A server that accepts webhooks. It answers each path as configured, else with 200. */
export class Receiver {
  readonly received: Received[] = [];
  readonly answers = new Map<string, Answer>();
  connections = 0;
  #sockets = new Set<Socket>();
  #port = 0;

  private constructor(
    private readonly server: ReturnType<typeof createServer>,
    private readonly scheme: string,
  ) {}

  static async start(scheme: 'http' | 'https' = 'http'): Promise<Receiver> {
    const take = (request: IncomingMessage): void => {
      void receiver.take(request);
    };
    const certificate = {
      cert: readFileSync(`${tls}/server.pem`),
      key: readFileSync(`${tls}/server.key.pem`),
    };
    const server = scheme === 'http' ? createServer(take) : createTlsServer(certificate, take);
    const receiver = new Receiver(server, scheme);
    server.on('connection', (socket: Socket) => {
      receiver.connections += 1;
      receiver.#sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => receiver.#sockets.delete(socket));
    });
    server.keepAliveTimeout = 60_000;
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    receiver.#port = (server.address() as AddressInfo).port;
    return receiver;
  }

  url(path: string, host = 'localhost'): string {
    return `${this.scheme}://${host}:${this.#port}${path}`;
  }

  at(path: string): Received[] {
    return this.received.filter((one) => one.path === path);
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async take(request: IncomingMessage): Promise<void> {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk as string;
    const { url: path = '', headers, socket } = request;
    const received = { path, headers, body, at: performance.now() };
    this.received.push(received);
    const respond = this.answers.get(path) ?? status(200);
    respond(socket, received);
  }
}
