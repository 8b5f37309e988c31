import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connect } from 'node:net';
import { promisify } from 'node:util';
import { eventually } from '#testing';
import { requireProgram } from './program.js';

/** HAProxy with a configuration of the repository, rendered for this machine. */
export class Haproxy {
  private constructor(private readonly process: ChildProcess) {}

  /**
   * Starts it once HAProxy itself finds nothing to complain about, warnings included.
   * @param port that the configuration listens on
   */
  static async start(folder: string, configuration: string, port: number): Promise<Haproxy> {
    await requireProgram('haproxy', 'haproxy', '-v');
    const file = join(folder, 'haproxy.cfg');
    await writeFile(file, configuration);
    await promisify(execFile)('haproxy', ['-c', '-dW', '-f', file]);
    const haproxy = new Haproxy(spawn('haproxy', ['-db', '-f', file], { stdio: 'ignore' }));
    await eventually(() => accepts(port), Boolean);
    return haproxy;
  }

  async stop(): Promise<void> {
    const ended = once(this.process, 'exit');
    this.process.kill('SIGKILL');
    await ended;
  }
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

/** Replaces each text of a configuration. @throws Error if the configuration lacks one */
export function rendered(
  configuration: string,
  replacements: Readonly<Record<string, string>>,
): string {
  return Object.entries(replacements).reduce((text, [from, to]) => {
    if (!text.includes(from)) throw new Error(`the configuration lacks ${from}`);
    return text.replaceAll(from, to);
  }, configuration);
}
