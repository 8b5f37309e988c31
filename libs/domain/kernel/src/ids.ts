/**
 * Where new ids come from: random UUIDs (version 7), made once per request, callback or worker step.
 * An id is never derived from a reference or a key, else two racing requests would both be told that
 * their append succeeded.
 */
export abstract class Ids {
  abstract next(): string;
}
