import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { packageDirectory } from '#infra/runtime';
import { errorKinds } from '#sdk';
import { inheritedEnvironment } from '#testing';
import { describe, expect, it } from '@jest/globals';

const env = {
  ...inheritedEnvironment(),
  PYTHONPATH: packageDirectory('clients/python/src'),
  PYTHONDONTWRITEBYTECODE: '1',
};
const python = (...words: string[]) => promisify(execFile)('/usr/bin/python3', words, { env });

describe('the Python client', () => {
  it('passes its own tests (SDK-23)', async () => {
    const tests = packageDirectory('clients/python/tests');
    const { stderr } = await python('-m', 'unittest', 'discover', '-s', tests);
    expect(stderr).toMatch(/\nRan [1-9]\d* tests in [\s\S]*\nOK\n$/);
  });

  it('has the same error codes and kinds as the TypeScript client (SDK-10)', async () => {
    const program = 'import json, pesapost; print(json.dumps(pesapost.ERROR_KINDS))';
    const { stdout } = await python('-c', program);
    expect(JSON.parse(stdout)).toEqual(errorKinds);
  });

  it('has the syntax of Python 3.9 (SDK-23)', async () => {
    const program = `
import ast, pathlib, sys
files = sorted(pathlib.Path(sys.argv[1]).rglob("*.py"))
for file in files:
    ast.parse(file.read_text("utf-8"), str(file), feature_version=(3, 9))
print(len(files))`;
    const { stdout } = await python('-c', program, packageDirectory('clients/python/src'));
    expect(Number(stdout)).toBeGreaterThan(10);
  });
});
