export { Described, MayBeAbsent, ruleWithSchema } from './described.js';
export { Documented, type ParameterWords, type RouteWords } from './documented.js';
export { type JsonSchema } from './json-schema.js';
export { readsQuery, type Route, routesOf } from './routes.js';
export { type DtoClass, type DtoField, fieldsOf, schemaOfDto } from './schema-of-dto.js';
export { named, namedSchemas, refTo } from './shapes.js';
