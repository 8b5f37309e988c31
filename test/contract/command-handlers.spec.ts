import * as collections from '#domain/collections';
import * as corrections from '#domain/corrections';
import * as evidence from '#domain/evidence';
import * as merchants from '#domain/merchants';
import * as payouts from '#domain/payouts';
import * as people from '#domain/people';
import * as v3Retirement from '#domain/v3-retirement';
import { handledBy, messagesOf } from '#testing';
import { MODULE_METADATA } from '@nestjs/common/constants.js';
import { describe, expect, it } from '@jest/globals';

/** The providers of all modules that an entry point exports: an app may bind only some of them. */
const providersOf = (entryPoint: object): unknown[] =>
  Object.values(entryPoint)
    .filter((value): value is object => typeof value === 'function')
    .flatMap((value) => (Reflect.getMetadata(MODULE_METADATA.PROVIDERS, value) ?? []) as unknown[]);

describe.each([
  ['collections', collections],
  ['corrections', corrections],
  ['evidence', evidence],
  ['merchants', merchants],
  ['payouts', payouts],
  ['people', people],
  ['v3-retirement', v3Retirement],
])('%s', (_name, entryPoint) => {
  it('has exactly one handler for each command and query that its entry point exports: a second would win silently', () => {
    const messages = messagesOf(entryPoint);
    const names = (classes: readonly { name: string }[]): string[] =>
      classes.map(({ name }) => name).sort();
    expect(messages.length).toBeGreaterThan(0);
    expect(names(handledBy(providersOf(entryPoint)))).toEqual(names(messages));
  });
});
