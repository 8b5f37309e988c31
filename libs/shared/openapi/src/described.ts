import { ValidateBy, ValidateIf, type ValidatorConstraintInterface } from 'class-validator';
import { type JsonSchema } from './json-schema.js';

import 'reflect-metadata';

/** A value as it could be on the wire. */
export type Example = string | number | readonly object[];

/** What a reader is told of a field beyond its rules. */
export interface FieldWords {
  readonly description: string;
  readonly example: Example;
}

const described = 'pesapost:openapi:described';

/** The description of a DTO's field. */
export function Described(description: string, example: Example): PropertyDecorator {
  return Reflect.metadata(described, { description, example } satisfies FieldWords);
}

/** A body's member that may be left out. `null` is a value, and no right one. */
export function MayBeAbsent(): PropertyDecorator {
  return ValidateIf((_body, value) => value !== undefined);
}

/** @throws TypeError where the field has none: a field without words is no documentation */
export function wordsOf(dto: { readonly prototype: object; readonly name: string }, field: string) {
  const words: unknown = Reflect.getMetadata(described, dto.prototype, field);
  if (words === undefined) throw new TypeError(`${dto.name}.${field} is not described`);
  return words as FieldWords;
}

/** Travels with a rule, among its constraints, to whoever writes the document. */
export class RuleSchema {
  constructor(readonly schema: JsonSchema) {}
}

/** A validator of our own, with what it accepts as far as JSON Schema can say it. */
export function ruleWithSchema(
  name: string,
  schema: JsonSchema,
  validator: ValidatorConstraintInterface,
): PropertyDecorator {
  return ValidateBy({ name, constraints: [new RuleSchema(schema)], validator });
}
