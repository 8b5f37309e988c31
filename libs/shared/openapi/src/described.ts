import { ValidateBy, ValidateIf, type ValidatorConstraintInterface } from 'class-validator';
import { type JsonSchema } from './json-schema.js';

import 'reflect-metadata';

/** A value as it could be on the wire. */
export type Example = string | number | readonly object[];

/** A field's documentation beyond its rules. */
export interface FieldWords {
  readonly description: string;
  readonly example: Example;
}

const described = 'pesapost:openapi:described';

/** Sets the description of a DTO's field. */
export function Described(description: string, example: Example): PropertyDecorator {
  return Reflect.metadata(described, { description, example } satisfies FieldWords);
}

/** Marks a body's member that may be left out. `null` is a value, and not a valid one. */
export function MayBeAbsent(): PropertyDecorator {
  return ValidateIf((_body, value) => value !== undefined);
}

/** @throws TypeError if the field has none: a field without a description is not documented */
export function wordsOf(dto: { readonly prototype: object; readonly name: string }, field: string) {
  const words: unknown = Reflect.getMetadata(described, dto.prototype, field);
  if (words === undefined) throw new TypeError(`${dto.name}.${field} is not described`);
  return words as FieldWords;
}

/** Passes a rule's schema, among its constraints, to the code that writes the document. */
export class RuleSchema {
  constructor(readonly schema: JsonSchema) {}
}

/** Makes a validator of our own, with the accepted values as far as JSON Schema can express them. */
export function ruleWithSchema(
  name: string,
  schema: JsonSchema,
  validator: ValidatorConstraintInterface,
): PropertyDecorator {
  return ValidateBy({ name, constraints: [new RuleSchema(schema)], validator });
}
