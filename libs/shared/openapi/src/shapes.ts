import { z } from 'zod';
import { type JsonSchema } from './json-schema.js';

const names = z.registry<{ id: string }>();

/** Gives a shape its name in the document. */
export function named<Shape extends z.ZodType>(id: string, shape: Shape): Shape {
  names.add(shape, { id });
  return shape;
}

/** Returns the name of a shape. @throws TypeError if it has none */
export function nameOf(shape: z.ZodType): string {
  const entry = names.get(shape);
  if (!entry) throw new TypeError('a shape without a name');
  return entry.id;
}

const componentPrefix = '#/components/schemas/';

/** Returns a reference to a named shape of the document. */
export function refTo(shape: z.ZodType): JsonSchema {
  return { $ref: `${componentPrefix}${nameOf(shape)}` };
}

/** Returns every named shape by its name. Objects stay open: a client must expect members that are added later. */
export function namedSchemas(): Record<string, JsonSchema> {
  const { schemas } = z.toJSONSchema(names, {
    uri: (id) => `${componentPrefix}${id}`,
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      if (zodSchema._zod.def.type === 'bigint') jsonSchema.type = 'integer';
      delete jsonSchema.additionalProperties;
      delete jsonSchema.readOnly;
      // The format already says it, and zod's pattern is longer than the schema around it.
      if (jsonSchema.format !== undefined) delete jsonSchema.pattern;
    },
  });
  return Object.fromEntries(
    Object.entries(schemas).map(([id, schema]) => {
      const { $schema: _dialect, $id: _address, id: _name, ...rest } = schema as JsonSchema;
      return [id, rest];
    }),
  );
}
