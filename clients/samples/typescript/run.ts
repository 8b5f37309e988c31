/** Runs a sample: `node run.ts create-collection.ts`. Samples import the package by its name, as a reader does. */
import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';

registerHooks({
  resolve: (name, context, next) =>
    next(name === '@pesapost/sdk' ? '#sdk' : name, context),
});
await import(pathToFileURL(process.argv[2] ?? '').href);
