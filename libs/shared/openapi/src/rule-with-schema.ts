import { ValidateBy, type ValidatorConstraintInterface } from 'class-validator';
import { type JsonSchema } from './json-schema.js';

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
