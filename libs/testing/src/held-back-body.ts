import { once } from 'node:events';
import { connect } from 'node:net';

/**
 * Sends a POST whose body waits until it is asked for (`Expect: 100-continue`).
 * @returns the first line of the answer: `HTTP/1.1 100 Continue` if the service began to read the body
 */
export async function answerToHeldBackBody(
  port: number,
  path: string,
  headers: Readonly<Record<string, string>>,
): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1' });
  const named = { Host: 'x', 'Content-Length': '2', Expect: '100-continue', ...headers };
  const lines = Object.entries(named).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n`);
  const [text] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();
  return text.toString().split('\r\n')[0] ?? '';
}
