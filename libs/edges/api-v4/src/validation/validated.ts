import { type HttpError, Problem, rawQuery, RawQuery } from '#shared/http';
import { type FastifyRequest } from 'fastify';
import { problem } from '../errors.js';
import { Inject, Injectable, mixin, type PipeTransform, type Type } from '@nestjs/common';
import { validateSync } from 'class-validator';
import { type Caller, SignedBody } from '../authentication/caller.js';

/**
 * Returns the parameters of a query by name. A parameter that appears twice becomes an array, which no field's rule
 * accepts. So a field with an error of its own answers with it (`invalid_cursor`), and this function refuses only the
 * rest.
 * @param known the names of the route's parameters
 * @throws Problem invalid_request for an unknown parameter
 */
function queryMembers(
  query: RawQuery,
  known: readonly string[],
): Readonly<Record<string, unknown>> {
  const parameters = query.parameters();
  // The signature covers the query, so an unreadable query was refused before.
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

/** Refuses a query on a call that has no parameters. @throws Problem invalid_request that names the parameter */
export function requireNoQuery(request: FastifyRequest): void {
  const raw = rawQuery(request);
  if (raw !== '') queryMembers(new RawQuery(raw), []);
}

/** A repeated cursor is answered as a malformed one (LIST-4), which this value is. */
const repeated = '';

const maxLength = 64;

/** Returns a name that a caller made up as the detail of an error shows it: in quotes, and cut if it is long. */
export function quoted(name: string): string {
  return JSON.stringify(name.length <= maxLength ? name : `${name.slice(0, maxLength)}…`);
}

type Members = Readonly<Record<string, unknown>>;

/**
 * A wire shape: a class whose fields are in the order of ERR-4, each with its rules and the error that it gives. It
 * extends nothing, because inherited fields would report last.
 */
export interface Dto<Shape extends object> extends Type<Shape> {
  /** Maps each field to its error. All keys are fields of the shape; members with other names are refused. */
  readonly errors: Readonly<Record<string, HttpError>>;
}

/** Looks up the values that a field is checked against. The DTO receives them as `terms`. */
export interface TermsSource<Terms> {
  termsFor(caller: Caller, members: Members): Promise<Terms>;
}

/**
 * Returns a pipe that turns a signed body or a raw query into the DTO. The DTO is passed as a value, never through
 * reflected types: an `import type` would turn validation off unnoticed.
 */
export function validated<Shape extends object>(
  dto: Dto<Shape>,
): PipeTransform<unknown, Shape> & { readonly dto: Dto<Shape> } {
  return { dto, transform: (value) => validate(dto, membersOf(value, dto), {}) };
}

/** As `validated`, for a body with fields that are checked against values that must be looked up. */
export function validatedAgainst<Terms, Shape extends { readonly terms: Terms }>(
  dto: Dto<Shape>,
  source: Type<TermsSource<Terms>>,
): Type<PipeTransform<unknown, Promise<Shape>>> {
  @Injectable()
  class ValidatedAgainst implements PipeTransform<unknown, Promise<Shape>> {
    /** Read by the code that documents the route. */
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
 * Validates the members. The first invalid field answers with its rule as the detail, except for errors that have none
 * (ERR-2).
 * @param at the path of the members in the body, which the detail starts with; empty for the body itself
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

/** Returns the body's members. The guard has ensured that the body is an object; any other body here is a defect. */
function membersOf<Shape extends object>(value: unknown, dto: Dto<Shape>): Members {
  if (value instanceof RawQuery) return queryMembers(value, Object.keys(dto.errors));
  if (!(value instanceof SignedBody)) throw new TypeError('this route’s body is not signed');
  const json = value.json();
  if (!json.ok || typeof json.value !== 'object' || json.value === null)
    throw problem('invalid_request');
  requireKnown(value, Object.keys(json.value), dto);
  return json.value as Members;
}

/**
 * Refuses unknown members, because an ignored field can be money misunderstood (ERR-10).
 * @throws Problem invalid_request that names the member
 */
function requireKnown(body: SignedBody, names: readonly string[], dto: Dto<object>): void {
  const unknown = names.find((name) => !Object.hasOwn(dto.errors, name));
  if (unknown !== undefined)
    throw problem('invalid_request', { detail: `${quoted(unknown)} is not a field of this call.` });
  const repeated = body.repeatedMember();
  if (repeated !== undefined)
    throw problem('invalid_request', { detail: `${quoted(repeated)} must be given once.` });
}
