import { connect as connectHttp2 } from 'node:http2';
import { connect } from 'node:net';
import { withDeadline } from '#infra/runtime';

const deadlineMs = 1000;

/** Whatever it answers: whoever answers listens. @throws where nobody does */
export async function answersHttp(url: string, withinMs = deadlineMs): Promise<void> {
  const response = await fetch(url, { signal: AbortSignal.timeout(withinMs) });
  await response.body?.cancel();
}

/** @throws where nobody listens on the loopback port */
export async function answersTcp(port: number): Promise<void> {
  const socket = connect({ port, host: '127.0.0.1', timeout: deadlineMs });
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve);
      socket.once('error', reject);
      socket.once('timeout', () => {
        reject(new Error('no connection in time'));
      });
    });
  } finally {
    socket.destroy();
  }
}

/** @throws if the server on the loopback port, which speaks HTTP/2, answers no ping in time: a frozen one accepts connections all the same */
export async function answersHttp2(port: number, withinMs: number): Promise<void> {
  const session = connectHttp2(`http://127.0.0.1:${port}`);
  try {
    await within(withinMs, (resolve, reject) => {
      session.once('error', reject);
      session.once('connect', () => {
        session.ping((error) => {
          if (error) reject(error);
          else resolve();
        });
      });
    });
  } finally {
    session.destroy();
  }
}

/** Asks Postgres whether it speaks TLS, which it answers before anybody logs in, by a new process. */
const sslRequest = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);

export function answersPostgres(port: number, withinMs: number): Promise<void> {
  return answersBytes(port, sslRequest, withinMs);
}

/** Redis answers without a password too, if only that one is wanted. */
export function answersRedis(port: number, withinMs: number): Promise<void> {
  return answersBytes(port, Buffer.from('PING\r\n'), withinMs);
}

/** @throws if nothing comes back in time, whatever it is */
async function answersBytes(port: number, request: Buffer, withinMs: number): Promise<void> {
  const socket = connect({ port, host: '127.0.0.1' });
  try {
    await within(withinMs, (resolve, reject) => {
      socket.once('error', reject);
      socket.once('data', () => {
        resolve();
      });
      socket.once('close', () => {
        reject(new Error('closed without an answer'));
      });
      socket.write(request);
    });
  } finally {
    socket.destroy();
  }
}

async function within(
  ms: number,
  work: (resolve: () => void, reject: (error: Error) => void) => void,
): Promise<void> {
  await withDeadline(
    new Promise<void>((resolve, reject) => {
      work(resolve, reject);
    }),
    ms,
    'no answer in time',
  );
}
