import { execFile } from 'node:child_process';
import { homedir } from 'node:os';
import { promisify } from 'node:util';
import { inheritedEnvironment } from '#testing';

/** Go as apt installs it: it fetches nothing, and its cache is the user's own. */
const env = {
  ...inheritedEnvironment(),
  HOME: homedir(),
  GOFLAGS: '-mod=mod',
  GOPROXY: 'off',
  GOTOOLCHAIN: 'local',
};

/** Runs a program of Go's toolchain in a folder. @returns its output */
export async function inGo(cwd: string, program: string, ...words: string[]): Promise<string> {
  return (await promisify(execFile)(program, words, { cwd, env })).stdout;
}
