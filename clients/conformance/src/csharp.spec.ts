import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { packageDirectory } from '#infra/runtime';
import { errorKinds } from '#sdk';
import { describe, expect, it } from '@jest/globals';
import { inDotnet } from './csharp.js';
import { csharpDriver } from './driver.js';

const client = packageDirectory('clients/csharp');
const driver = packageDirectory('clients/conformance/drivers/csharp');
const samples = packageDirectory('clients/samples/csharp');
const built = packageDirectory('dist/clients/csharp-spec');
/** The service's spec builds the client at the same time, so this one has its own place for what it builds. */
const dotnet = (...words: string[]) => inDotnet(client, words, { ArtifactsPath: built });

describe('the C# client', () => {
  it('compiles without a warning, and passes its own tests (SDK-27)', async () => {
    // A build that leaves out what it compiled before would leave out its warnings too.
    await dotnet('build', 'tests', '-c', 'Release', '--no-incremental', '-warnaserror');
    const tests = join(built, 'bin/PesaPost.Tests/release/PesaPost.Tests.dll');
    expect(await dotnet(tests)).toMatch(/^[1-9]\d* passed, 0 failed$/m);
  }, 300_000);

  it('has the same error codes and kinds as the TypeScript client (SDK-10)', async () => {
    const printed = await dotnet(packageDirectory(csharpDriver), 'error-kinds');
    expect(JSON.parse(printed)).toEqual(errorKinds);
  });

  it.each([client, driver, samples])('is formatted: %s', async (folder) => {
    await dotnet('format', 'whitespace', '--folder', folder, '--verify-no-changes');
  });

  it('is a package with its reference, its README and no dependency (SDK-27)', async () => {
    await dotnet('pack', 'src', '-c', 'Release', '-warnaserror');
    const folder = join(built, 'package/release');
    const [file = ''] = await readdir(folder);
    const program = `
import sys, zipfile
package = zipfile.ZipFile(sys.argv[1])
print(*sorted(package.namelist()), package.read("PesaPost.nuspec").decode(), sep="\\n")`;
    const words = ['-c', program, join(folder, file)];
    const { stdout } = await promisify(execFile)('/usr/bin/python3', words);
    expect(stdout).toContain('lib/net10.0/PesaPost.dll\nlib/net10.0/PesaPost.xml\n');
    expect(stdout).toContain('<readme>README.md</readme>');
    expect(stdout).toContain('<license type="expression">Apache-2.0</license>');
    expect(stdout).not.toContain('<dependency ');
    expect(stdout).not.toContain('<frameworkReference ');
  }, 120_000);
});
