import { connect } from 'node:net';

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
