import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type INestApplicationContext } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { Command, Query } from '@nestjs/cqrs';
import * as collections from '#domain/collections';
import * as corrections from '#domain/corrections';
import * as merchants from '#domain/merchants';
import * as v3Retirement from '#domain/v3-retirement';

/** Under these keys @nestjs/cqrs notes what a handler class handles; it does not export them. */
const handlerMetadata = ['__commandHandler__', '__queryHandler__'] as const;

type Class = abstract new (...all: never[]) => unknown;

const messages = new Set(
  [collections, corrections, merchants, v3Retirement]
    .flatMap((entryPoint: object): unknown[] => Object.values(entryPoint))
    .filter((value): value is Class => typeof value === 'function')
    .filter(({ prototype }) => [Command, Query].some((kind) => prototype instanceof kind))
    .map(({ name }) => name),
);

/**
 * How many handlers the app has for each command and query that its classes, or the sources of its folder, make.
 * More than one is wrong as well: the last of them would win silently.
 */
export function handlersOfDispatched(
  app: INestApplicationContext,
  folder: string,
): Readonly<Record<string, number>> {
  const classes = [...app.get(ModulesContainer).values()]
    .flatMap(({ providers, controllers }) => [...providers.values(), ...controllers.values()])
    .map(({ metatype }) => metatype)
    .filter((metatype) => typeof metatype === 'function');
  const handled = classes.flatMap((provider) =>
    handlerMetadata.flatMap((key) => {
      const message: unknown = Reflect.getMetadata(key, provider);
      return typeof message === 'function' ? [message.name] : [];
    }),
  );
  const dispatched = [...classes.map(String), ...sourcesOf(folder)]
    .flatMap((text) => [...text.matchAll(/\bnew (\w+)\(/g)].map(([, name = '']) => name))
    .filter((name) => messages.has(name));
  return Object.fromEntries(
    [...new Set(dispatched)]
      .sort()
      .map((name) => [name, handled.filter((other) => other === name).length]),
  );
}

function sourcesOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.spec.ts'))
    .map((file) => readFileSync(join(folder, file), 'utf8'));
}
