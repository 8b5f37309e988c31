import { type HttpError, Problem, rawQuery, RawQuery } from '#shared/http';
import { type FastifyRequest } from 'fastify';
import { problem } from '../errors.js';
import { Inject, Injectable, mixin, type PipeTransform, type Type } from '@nestjs/common';
import { validateSync } from 'class-validator';
import { type Caller, SignedBody } from '../authentication/caller.js';

/**
 * The parameters of a query by name. A parameter that stands twice becomes an array, which no field's rule
 * accepts; so a field's own error answers where it has one (`invalid_cursor`), and here only what has none.
 * @param known the names of the route's parameters
 * @throws Problem invalid_request for an unknown parameter
 */
function queryMembers(
  query: RawQuery,
  known: readonly string[],
): Readonly<Record<string, unknown>> {
  const parameters = query.parameters();
  // The signature covers the query, so what cannot be read was refused before.
  if (!parameters.ok) throw problem('invalid_request');
  const members = new Map<string, string>();
  for (const [name, value] of parameters.value) {
    if (!known.includes(name))
      throw problem('invalid_request', {
        detail: `${quoted(name)} is not a parameter of this call.`,
      });
    if (members.has(name) && name !== 'cursor')
      throw problem('invalid_request', { detail: `${name} must be given once.` });
    members.set(name, members.has(name) ? repeated : value);
  }
  return Object.fromEntries(members);
}

/** For a call that has no parameters. @throws Problem invalid_request that names the one that is there */
export function requireNoQuery(request: FastifyRequest): void {
  const raw = rawQuery(request);
  if (raw !== '') queryMembers(new RawQuery(raw), []);
}

/** A repeated cursor is answered as a malformed one (LIST-4), and this is none. */
const repeated = '';

const maxLength = 64;

/** A name that a caller made up, as the detail of an error shows it: in quotes, cut where it is long. */
export function quoted(name: string): string {
  return JSON.stringify(name.length <= maxLength ? name : `${name.slice(0, maxLength)}…`);
}

type Members = Readonly<Record<string, unknown>>;

/**
 * A wire shape: a class whose fields stand in the order of ERR-4, each with its rules and the error that it
 * gives. It extends nothing: inherited fields would report last.
 */
export interface Dto<Shape extends object> extends Type<Shape> {
  /** Field → error. Its keys are all fields of the shape; members of other names are refused. */
  readonly errors: Readonly<Record<string, HttpError>>;
}

/** Where what a field is measured against must be looked up first; it is given to the DTO as `terms`. */
export interface TermsSource<Terms> {
  termsFor(caller: Caller, members: Members): Promise<Terms>;
}

/**
 * A pipe that turns a signed body or a raw query into the DTO. The DTO is handed over as a value, never by
 * reflected types: an `import type` would turn validation off unnoticed.
 */
export function validated<Shape extends object>(
  dto: Dto<Shape>,
): PipeTransform<unknown, Shape> & { readonly dto: Dto<Shape> } {
  return { dto, transform: (value) => validate(dto, membersOf(value, dto), {}) };
}

/** As `validated`, for a body some of whose fields are measured against what must be looked up. */
export function validatedAgainst<Terms, Shape extends { readonly terms: Terms }>(
  dto: Dto<Shape>,
  source: Type<TermsSource<Terms>>,
): Type<PipeTransform<unknown, Promise<Shape>>> {
  @Injectable()
  class ValidatedAgainst implements PipeTransform<unknown, Promise<Shape>> {
    /** For who documents the route. */
    static readonly dto = dto;

    constructor(@Inject(source) private readonly terms: TermsSource<Terms>) {}

    async transform(value: unknown): Promise<Shape> {
      if (!(value instanceof SignedBody)) throw new TypeError('this route’s body is not signed');
      const members = membersOf(value, dto);
      return validate(dto, members, { terms: await this.terms.termsFor(value.caller, members) });
    }
  }
  return mixin(ValidatedAgainst);
}

/**
 * The first bad field answers; its rule is the detail, but for errors that have none (ERR-2).
 * @param at where the members stand in the body, in front of the detail; empty for the body itself
 */
export function validate<Shape extends object>(
  dto: Dto<Shape>,
  members: Members,
  extras: object,
  at = '',
): Shape {
  const shape = new dto();
  for (const field of Object.keys(dto.errors)) Reflect.set(shape, field, members[field]);
  Object.assign(shape, extras);
  const [first] = validateSync(shape, { forbidUnknownValues: true, stopAtFirstError: true });
  if (!first) return shape;
  const error = dto.errors[first.property];
  if (!error) throw new TypeError(`${dto.name}.${first.property} has rules but no error`);
  const [detail] = Object.values(first.constraints ?? {});
  const place = at === '' ? '' : `${at}.${first.property}: `;
  throw new Problem(error, detail === undefined || detail === '' ? {} : { detail: place + detail });
}

/** The guard has made sure of the object; a body that got here otherwise is a defect. */
function membersOf<Shape extends object>(value: unknown, dto: Dto<Shape>): Members {
  if (value instanceof RawQuery) return queryMembers(value, Object.keys(dto.errors));
  if (!(value instanceof SignedBody)) throw new TypeError('this route’s body is not signed');
  const json = value.json();
  if (!json.ok || typeof json.value !== 'object' || json.value === null)
    throw problem('invalid_request');
  requireKnown(value, Object.keys(json.value), dto);
  return json.value as Members;
}

/** A field that is ignored can be money misunderstood (ERR-10). @throws Problem invalid_request that names the member */
function requireKnown(body: SignedBody, names: readonly string[], dto: Dto<object>): void {
  const unknown = names.find((name) => !Object.hasOwn(dto.errors, name));
  if (unknown !== undefined)
    throw problem('invalid_request', { detail: `${quoted(unknown)} is not a field of this call.` });
  const repeated = body.repeatedMember();
  if (repeated !== undefined)
    throw problem('invalid_request', { detail: `${quoted(repeated)} must be given once.` });
}
