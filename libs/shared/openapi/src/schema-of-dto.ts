import { type HttpError } from '#shared/http';
import { getMetadataStorage, ValidationTypes } from 'class-validator';
import { type Example, RuleSchema, wordsOf } from './described.js';
import { type JsonSchema } from './json-schema.js';

/** A wire shape: a class whose fields have rules, with the error that each field gives. */
export interface DtoClass {
  new (): object;
  readonly prototype: object;
  readonly name: string;
  /** Its keys are the fields, in the order of ERR-4. */
  readonly errors: Readonly<Record<string, HttpError>>;
}

/** One field with its validators. */
export interface DtoField {
  readonly name: string;
  readonly required: boolean;
  readonly description: string;
  readonly example: Example;
  readonly schema: JsonSchema;
}

interface Rule {
  readonly type: string;
  readonly propertyName: string;
  readonly name?: string;
  readonly constraints?: readonly unknown[];
}

/** @throws TypeError for a rule that the document cannot express, and for a field without a description */
export function fieldsOf(dto: DtoClass): DtoField[] {
  const rules: readonly Rule[] = getMetadataStorage().getTargetValidationMetadatas(
    dto,
    '',
    false,
    false,
  );
  return Object.keys(dto.errors).map((name) => {
    const own = rules.filter(({ propertyName }) => propertyName === name);
    // class-validator returns the decorators from the lowest to the highest.
    const schemas = own.filter((rule) => !isCondition(rule)).map(schemaOfRule);
    return {
      name,
      required: !own.some(isCondition),
      ...wordsOf(dto, name),
      schema: Object.assign({}, ...schemas) as JsonSchema,
    };
  });
}

/** Returns the object that a body must be. Unknown members are allowed and ignored, so the schema stays open. */
export function schemaOfDto(dto: DtoClass): JsonSchema {
  const fields = fieldsOf(dto);
  return {
    type: 'object',
    required: fields.filter(({ required }) => required).map(({ name }) => name),
    properties: Object.fromEntries(
      fields.map(({ name, description, example, schema }) => [
        name,
        { ...schema, description, examples: [example] },
      ]),
    ),
  };
}

/** True for the rule that applies the others only if the field is present. */
function isCondition({ type }: Rule): boolean {
  return type === ValidationTypes.CONDITIONAL_VALIDATION;
}

function schemaOfRule({ name, constraints = [], propertyName }: Rule): JsonSchema {
  const [first] = constraints;
  if (first instanceof RuleSchema) return first.schema;
  if (name === 'matches' && first instanceof RegExp)
    return { type: 'string', pattern: first.source };
  if (name === 'equals') return { type: typeof first, const: first };
  if (name === 'isIn') return { type: 'string', enum: first };
  throw new TypeError(`${propertyName} has a rule that the document cannot tell: ${String(name)}`);
}
