import * as collections from '#domain/collections';
import * as corrections from '#domain/corrections';
import * as merchants from '#domain/merchants';
import * as v3Retirement from '#domain/v3-retirement';
import { MODULE_METADATA } from '@nestjs/common/constants.js';
import { Command, Query } from '@nestjs/cqrs';
import { describe, expect, it } from '@jest/globals';

/** Under these keys @nestjs/cqrs notes what a handler class handles; it does not export them. */
const COMMAND_HANDLER_METADATA = '__commandHandler__';
const QUERY_HANDLER_METADATA = '__queryHandler__';

type Class = abstract new (...all: never[]) => unknown;

const isClass = (value: unknown): value is Class => typeof value === 'function';

/** The messages that the modules' handlers are registered for. */
function handledBy(modules: readonly Class[]): Class[] {
  const providers = modules.flatMap(
    (module) => Reflect.getMetadata(MODULE_METADATA.PROVIDERS, module) as unknown[],
  );
  return providers.filter(isClass).flatMap((provider) =>
    [COMMAND_HANDLER_METADATA, QUERY_HANDLER_METADATA].flatMap((key) => {
      const message: unknown = Reflect.getMetadata(key, provider);
      return isClass(message) ? [message] : [];
    }),
  );
}

/** All modules that an entry point exports: an app may bind only some of them. */
const modulesOf = (entryPoint: object): Class[] =>
  Object.values(entryPoint)
    .filter(isClass)
    .filter((value) => Reflect.hasMetadata(MODULE_METADATA.PROVIDERS, value));

describe.each([
  ['collections', collections],
  ['corrections', corrections],
  ['merchants', merchants],
  ['v3-retirement', v3Retirement],
])('%s', (_name, entryPoint) => {
  it('has exactly one handler for each command and query that its entry point exports: a second would win silently', () => {
    const messages = Object.values(entryPoint).filter(
      (value): value is Class =>
        isClass(value) && [Command, Query].some((kind) => value.prototype instanceof kind),
    );
    const names = (classes: readonly Class[]): string[] => classes.map(({ name }) => name).sort();
    expect(messages.length).toBeGreaterThan(1);
    expect(names(handledBy(modulesOf(entryPoint)))).toEqual(names(messages));
  });
});
