import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { packageDirectory } from '#infra/runtime';
import { inheritedEnvironment } from '#testing';

/** .NET with a home of its own, which `npm run test:clients` makes. No process outlives a build. */
const home = packageDirectory('dist/clients/dotnet-home');
export const dotnetEnvironment = {
  ...inheritedEnvironment(),
  HOME: home,
  DOTNET_CLI_HOME: home,
  DOTNET_CLI_TELEMETRY_OPTOUT: '1',
  DOTNET_NOLOGO: '1',
  MSBUILDDISABLENODEREUSE: '1',
  UseSharedCompilation: 'false',
};

/**
 * Runs .NET in a folder.
 * @returns its output
 * @throws Error with the output, because compilers report there
 */
export async function inDotnet(
  cwd: string,
  words: readonly string[],
  more: Readonly<Record<string, string>> = {},
): Promise<string> {
  try {
    const options = { cwd, env: { ...dotnetEnvironment, ...more } };
    return (await promisify(execFile)('dotnet', words, options)).stdout;
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Error(`dotnet ${words.join(' ')} failed:\n${stdout}${stderr}`, { cause: error });
  }
}
