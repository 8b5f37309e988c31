/** A JSON Schema (draft 2020-12, as OpenAPI 3.1 has it). */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
}
