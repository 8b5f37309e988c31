import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { clientLanguages } from '#edges/api-docs';
import { packageDirectory } from '#infra/runtime';
import { errorKinds } from '#sdk';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { inJava, javaClient, javaFilesOf, junit, spring } from './java.js';

// Compilers and Maven take seconds on a machine of their own.
jest.setTimeout(180_000);

const client = 'clients/java/src/main/java';
// Debian's jars name others that are not installed.
const strict = ['-Xlint:all,-path', '-Werror', '--release', '17'];
const at = (...places: readonly string[]) => places.join(delimiter);

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pesapost-java-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Compiles without a warning, and runs the tests that are among the classes. */
async function test(sources: string, libraries: string): Promise<string> {
  const classes = join(folder, sources);
  const path = at(javaClient, libraries);
  const words = [...strict, '-encoding', 'UTF-8', '-cp', path, '-d', classes];
  await inJava(folder, 'javac', [...words, ...javaFilesOf(sources)]);
  const options = ['--scan-classpath', classes, '--fail-if-no-tests', '--disable-banner'];
  const launcher = 'org.junit.platform.console.ConsoleLauncher';
  return inJava(folder, 'java', ['-cp', at(path, classes), launcher, ...options]);
}

describe('the Java client', () => {
  it('passes its own tests (SDK-26)', async () => {
    expect(await test('clients/java/src/test/java', junit)).toMatch(/ 0 tests failed /);
  });

  it('receives webhooks in Spring, by the example as it is (SDK-18)', async () => {
    const passed = await test('clients/java/examples/spring', at(junit, spring));
    expect(passed).toMatch(/ 1 tests successful /);
  });

  it('has the same error codes and kinds as the TypeScript client (SDK-10)', async () => {
    const path = at(javaClient, packageDirectory('dist/clients/java/driver'));
    const printed = await inJava(folder, 'java', ['-cp', path, 'Driver', 'error-kinds']);
    expect(JSON.parse(printed)).toEqual(errorKinds);
  });

  it.each([client, 'clients/conformance/drivers/java', 'clients/samples/java'])(
    'compiles for Java 17 without a warning: %s (SDK-26)',
    async (sources) => {
      const words = [...strict, '-cp', javaClient, '-d', join(folder, sources)];
      await inJava(folder, 'javac', [...words, ...javaFilesOf(sources)]);
    },
  );

  it('has a reference of its own that javadoc writes without a warning', async () => {
    const words = ['-quiet', '-Xdoclint:all', '-Werror', '--release', '17', '-d'];
    await inJava(folder, 'javadoc', [...words, join(folder, 'reference'), ...javaFilesOf(client)]);
  });

  it('is a package that Maven reads and Maven Central takes, with a dependency only for tests', async () => {
    const file = packageDirectory('clients/java/pom.xml');
    expect(await inJava(folder, 'mvn', ['-o', '-B', '-f', file, 'validate'])).toMatch(
      /BUILD SUCCESS/,
    );
    const pom = await readFile(file, 'utf8');
    const shown = clientLanguages.find(({ id }) => id === 'java')?.install.split('\n') ?? [];
    expect(shown).toHaveLength(5);
    for (const line of shown.slice(1, -1)) expect(pom).toContain(`\n${line}\n`);
    for (const element of ['name', 'description', 'url', 'licenses', 'developers', 'scm'])
      expect(pom).toContain(`\n  <${element}>`);
    const dependencies = pom.match(/<dependency>[^]*?<\/dependency>/g) ?? [];
    expect(dependencies.filter((one) => !one.includes('<scope>test</scope>'))).toEqual([]);
  });
});
