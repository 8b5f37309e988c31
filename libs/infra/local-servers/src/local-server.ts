import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { type ServerProcess } from './server-process.js';

/** A server on loopback that runs as our child. */
export abstract class LocalServer {
  protected constructor(
    private readonly process: ServerProcess,
    /** With the password: never to be logged. */
    readonly url: string,
  ) {}

  get pid(): number {
    return this.process.pid;
  }

  get exited(): Promise<string> {
    return this.process.exited;
  }

  stop(): Promise<void> {
    return this.process.stop();
  }
}

/** The password in the file; made where there is none. */
export async function storedPassword(file: string): Promise<string> {
  try {
    return (await readFile(file, 'utf8')).trim();
  } catch {
    const password = randomBytes(24).toString('base64url');
    await writeFile(file, password, { mode: 0o600 });
    return password;
  }
}
