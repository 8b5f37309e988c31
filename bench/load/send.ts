import { ascending } from '../statistics.js';
import { Connection } from './connection.js';
import { type Shot, type Burst } from './protocol.js';

/** Requests that may still be sent; lanes wait here for more. */
export class Allowance {
  #waiting: (() => void)[] = [];
  #over = false;

  constructor(private left: number) {}

  add(requests: number): void {
    this.left += requests;
    this.#wake();
  }

  /** Releases all waiting lanes. */
  end(): void {
    this.#over = true;
    this.#wake();
  }

  /** @returns false if it is over */
  async take(): Promise<boolean> {
    while (this.left <= 0 && !this.#over)
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.left -= 1;
    return !this.#over;
  }

  #wake(): void {
    for (const wake of this.#waiting.splice(0)) wake();
  }
}

/** Sends the requests, one after another on each connection, until the requests or the time are used up. */
export async function send(requests: Buffer[], shot: Shot, allowance: Allowance): Promise<Burst> {
  const statuses: Record<string, number> = {};
  const latencies: number[] = [];
  const cpu = process.cpuUsage();
  const begunAt = performance.now();
  let lastAt = begunAt;
  const timer = setTimeout(() => {
    allowance.end();
  }, shot.withinMs);
  const ports = [shot.port, ...(shot.replicaPorts ?? [])];
  const lane = async (port: number): Promise<void> => {
    let connection = new Connection(port);
    while (requests.length > 0 && (await allowance.take())) {
      const request = requests.pop();
      if (!request) break;
      if (!connection.usable) connection = new Connection(port);
      const sentAt = performance.now();
      const status = await connection.send(request);
      lastAt = performance.now();
      latencies.push(lastAt - sentAt);
      statuses[status] = (statuses[status] ?? 0) + 1;
    }
    // Otherwise lanes would wait for an allowance for ever once the requests are used up.
    if (requests.length === 0) allowance.end();
    connection.close();
  };
  const lanes = Array.from({ length: shot.connections }, (_, at) =>
    lane(ports[at % ports.length] ?? shot.port),
  );
  await Promise.all(lanes);
  clearTimeout(timer);
  const { user, system } = process.cpuUsage(cpu);
  return {
    answered: latencies.length,
    statuses,
    seconds: (lastAt - begunAt) / 1000,
    latencies: latencies.sort(ascending),
    cpuSeconds: (user + system) / 1e6,
  };
}
