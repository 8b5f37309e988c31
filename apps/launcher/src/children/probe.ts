import { connect as connectHttp2 } from 'node:http2';
import { connect } from 'node:net';
import { withDeadline } from '#infra/runtime';

const deadlineMs = 1000;

/**
 * Resolves on any HTTP answer, since an answer of any kind shows that the server listens.
 * @throws if there is no answer
 */
export async function answersHttp(url: string, withinMs = deadlineMs): Promise<void> {
  const response = await fetch(url, { signal: AbortSignal.timeout(withinMs) });
  await response.body?.cancel();
}

/** @throws if no server listens on the loopback port */
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

/**
 * Sends a ping over HTTP/2 to the server on the loopback port. A frozen server accepts connections but answers no ping.
 * @throws if there is no answer in time
 */
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

/** Asks Postgres for TLS. A new Postgres process answers this before any log-in. */
const sslRequest = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);

export function answersPostgres(port: number, withinMs: number): Promise<void> {
  return answersBytes(port, sslRequest, withinMs);
}

/** Redis answers without a password too, if only to demand one. */
export function answersRedis(port: number, withinMs: number): Promise<void> {
  return answersBytes(port, Buffer.from('PING\r\n'), withinMs);
}

/**
 * Resolves on any answer.
 * @throws if nothing comes back in time
 */
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
