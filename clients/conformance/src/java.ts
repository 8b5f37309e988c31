import { type ChildProcessByStdio, execFile, spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Readable } from 'node:stream';
import { promisify } from 'node:util';
import { packageDirectory } from '#infra/runtime';
import { inheritedEnvironment } from '#testing';

const jars = (...names: readonly string[]) =>
  names.map((name) => `/usr/share/java/${name}.jar`).join(delimiter);

/** The classes that `npm run test:clients` compiled. */
export const javaClient = packageDirectory('dist/clients/java/client');

export const junit = jars(
  'junit-platform-console',
  'junit-jupiter-engine',
  'junit-jupiter-api',
  'junit-platform-engine',
  'junit-platform-launcher',
  'opentest4j',
  'apiguardian-api',
  'junit-platform-commons',
);

/** Spring MVC as Debian has it. */
export const spring = jars(
  ...['aop', 'beans', 'context', 'core', 'expression', 'test', 'web', 'web.servlet'].map(
    (part) => `spring3-${part}`,
  ),
  'commons-logging',
  'servlet-api',
);

/** Runs a program in a folder. @returns its output */
export async function inJava(
  cwd: string,
  program: string,
  words: readonly string[],
  settings: Readonly<Record<string, string>> = {},
): Promise<string> {
  const env = { ...inheritedEnvironment(), ...settings };
  return (await promisify(execFile)(program, words, { cwd, env })).stdout;
}

/** Starts a program that runs until it is killed. */
export function startInJava(
  program: string,
  words: readonly string[],
  settings: Readonly<Record<string, string>>,
): ChildProcessByStdio<null, Readable, null> {
  const env = { ...inheritedEnvironment(), ...settings };
  return spawn(program, words, { env, stdio: ['ignore', 'pipe', 'inherit'] });
}

/** Returns the Java files of a folder of the repository. */
export function javaFilesOf(folder: string): string[] {
  const path = packageDirectory(folder);
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.java'))
    .map((file) => join(path, file));
}
