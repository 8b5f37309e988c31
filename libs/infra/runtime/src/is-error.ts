/**
 * Whether it is an error, of whatever realm: Node's own errors are no `instanceof Error` where a program runs
 * in a context of its own, as under jest.
 */
export function isError(value: unknown): value is Error {
  return value instanceof Error || Object.prototype.toString.call(value) === '[object Error]';
}
