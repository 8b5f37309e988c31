import { existsSync } from 'node:fs';
import { registerHooks } from 'node:module';

/** Lets Node run the sources as they are: a relative import of `x.js` finds `x.ts`. Types are stripped by Node. */
registerHooks({
  resolve(specifier, context, nextResolve) {
    if (specifier.startsWith('.') && specifier.endsWith('.js') && context.parentURL !== undefined) {
      const source = new URL(specifier.replace(/\.js$/, '.ts'), context.parentURL);
      if (source.protocol === 'file:' && existsSync(source))
        return nextResolve(source.href, context);
    }
    return nextResolve(specifier, context);
  },
});
