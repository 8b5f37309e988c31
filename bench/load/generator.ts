import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { packageDirectory } from '#infra/runtime';
import {
  type Order,
  type Report,
  type Shot,
  type Signer,
  type UnsignedRequest,
  type Burst,
} from './protocol.js';

/** The requests in one message to the process, which is written and read at once. */
const signedAtOnce = 2000;

/** The load generator's process, as the cases use it. */
export class LoadGenerator {
  readonly #child: ChildProcess = fork(packageDirectory('dist', 'bench/load/main.js'));

  /** Signs requests for the next burst, which takes some 0.7 ms of a processor for each. */
  async sign(signer: Signer, requests: readonly UnsignedRequest[]): Promise<void> {
    for (let from = 0; from < requests.length; from += signedAtOnce) {
      this.#tell({ kind: 'sign', signer, requests: requests.slice(from, from + signedAtOnce) });
      await this.#report();
    }
  }

  /** Makes the next burst send the same bytes this often. */
  async repeat(bytes: Buffer, times: number): Promise<void> {
    this.#tell({ kind: 'repeat', bytes: bytes.toString('base64'), times });
    await this.#report();
  }

  /** Sends the signed requests. */
  async send(shot: Shot): Promise<Burst> {
    this.#tell({ kind: 'fire', shot });
    const report = await this.#report();
    if (report.kind !== 'fired') throw new TypeError('the load generator answered out of turn');
    return report.burst;
  }

  /** Raises the allowance of the shot in progress. */
  allow(requests: number): void {
    this.#tell({ kind: 'allow', requests });
  }

  stop(): void {
    if (this.#child.connected) this.#child.disconnect();
  }

  #tell(order: Order): void {
    this.#child.send(order);
  }

  async #report(): Promise<Report> {
    const ended = new AbortController();
    const onExit = (): void => {
      ended.abort(new Error('the load generator ended'));
    };
    this.#child.once('exit', onExit);
    try {
      const [report] = (await once(this.#child, 'message', { signal: ended.signal })) as [Report];
      return report;
    } finally {
      this.#child.off('exit', onExit);
    }
  }
}
