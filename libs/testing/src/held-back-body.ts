import { once } from 'node:events';
import { connect } from 'node:net';

/**
 * Sends a POST whose body waits until it is asked for (`Expect: 100-continue`).
 * @param late the body to send once it is asked for, after some work; without it, nothing more is sent
 * @returns the first line of the last answer: `HTTP/1.1 100 Continue` if the service began to read the body
 */
export async function answerToHeldBackBody(
  port: number,
  path: string,
  headers: Readonly<Record<string, string>>,
  late?: { readonly body: string; readonly after: () => unknown },
): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1' });
  const length = String(Buffer.byteLength(late?.body ?? '{}'));
  const named = { Host: 'x', 'Content-Length': length, Expect: '100-continue', ...headers };
  const lines = Object.entries(named).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n`);
  const answer = async (): Promise<string> => {
    const [text] = (await once(socket, 'data')) as [Buffer];
    return text.toString().split('\r\n')[0] ?? '';
  };
  try {
    const first = await answer();
    if (!late || !first.includes(' 100 ')) return first;
    await late.after();
    socket.write(late.body);
    return await answer();
  } finally {
    socket.destroy();
  }
}
