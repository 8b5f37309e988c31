import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { type ServerProcess } from './server-process.js';

/** A server on loopback that runs as a child process. */
export abstract class LocalServer {
  protected constructor(
    private readonly process: ServerProcess,
    /** Contains the password: never log it. */
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

/** Reads the password from the file; makes one if there is none. */
export async function storedPassword(file: string): Promise<string> {
  try {
    return (await readFile(file, 'utf8')).trim();
  } catch {
    const password = randomBytes(24).toString('base64url');
    await writeFile(file, password, { mode: 0o600 });
    return password;
  }
}
