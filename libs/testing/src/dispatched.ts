import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type INestApplicationContext } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { Command, Query } from '@nestjs/cqrs';
import * as audit from '#domain/audit';
import * as collections from '#domain/collections';
import * as corrections from '#domain/corrections';
import * as drills from '#domain/drills';
import * as evidence from '#domain/evidence';
import * as merchants from '#domain/merchants';
import * as reconciliation from '#domain/reconciliation';
import * as v3Retirement from '#domain/v3-retirement';

/** The metadata keys under which @nestjs/cqrs stores the messages of a handler class; it does not export them. */
const handlerMetadata = ['__commandHandler__', '__queryHandler__'] as const;

type Class = abstract new (...all: never[]) => unknown;

const isClass = (value: unknown): value is Class => typeof value === 'function';

/** The commands and queries that a module's entry point exports. */
export function messagesOf(entryPoint: object): Class[] {
  return Object.values(entryPoint)
    .filter(isClass)
    .filter(({ prototype }) => [Command, Query].some((kind) => prototype instanceof kind));
}

/** The messages for which handlers among the providers are registered. */
export function handledBy(providers: readonly unknown[]): Class[] {
  return providers.filter(isClass).flatMap((provider) =>
    handlerMetadata.flatMap((key) => {
      const message: unknown = Reflect.getMetadata(key, provider);
      return isClass(message) ? [message] : [];
    }),
  );
}

const messages = new Set(
  [audit, collections, corrections, drills, evidence, merchants, reconciliation, v3Retirement]
    .flatMap(messagesOf)
    .map(({ name }) => name),
);

/**
 * The number of handlers in the app for each command and query that its classes, or the sources of its folder, create.
 * More than one is wrong as well: the last of them would silently win.
 */
export function handlersOfDispatched(
  app: INestApplicationContext,
  folder: string,
): Readonly<Record<string, number>> {
  const classes = [...app.get(ModulesContainer).values()]
    .flatMap(({ providers, controllers }) => [...providers.values(), ...controllers.values()])
    .map(({ metatype }) => metatype)
    .filter(isClass);
  const handled = handledBy(classes).map(({ name }) => name);
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
