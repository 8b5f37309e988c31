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

  it('has an API reference: pydoc prints it, and each public name is documented', async () => {
    const { stdout } = await python('-c', reference);
    const { pages, names, undocumented } = JSON.parse(stdout) as {
      pages: number;
      names: number;
      undocumented: string[];
    };
    expect(undocumented).toEqual([]);
    expect(pages).toBeGreaterThan(10);
    expect(names).toBeGreaterThan(60);
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

/** Prints the number of modules and of public names, and the names that have no docstring. */
const reference = `
import importlib, inspect, json, pkgutil, pydoc, pesapost
modules = [pesapost] + [
    importlib.import_module(each.name)
    for each in pkgutil.walk_packages(pesapost.__path__, "pesapost.")
    if "._" not in each.name
]
found = {}
def add(prefix, values):
    for name, value in values.items():
        is_own = str(getattr(value, "__module__", "")).startswith("pesapost")
        if isinstance(value, property):
            found[f"{prefix}.{name}"] = value.__doc__
        elif not name.startswith("_") and is_own and callable(value):
            found[f"{prefix}.{name}"] = value.__doc__
            if inspect.isclass(value):
                add(f"{prefix}.{name}", vars(value))
for module in modules:
    assert pydoc.render_doc(module, renderer=pydoc.plaintext)
    found[module.__name__] = module.__doc__
    add(module.__name__, vars(module))
undocumented = [name for name, text in found.items() if not text]
print(json.dumps({"pages": len(modules), "names": len(found), "undocumented": undocumented}))
`;
