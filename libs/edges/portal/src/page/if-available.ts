import { DependencyUnavailable } from '#domain/kernel';

/** What a page shows where a server cannot answer for the moment, in the place of the part that it would fill. */
export async function ifAvailable<Value>(reading: Promise<Value>): Promise<Value | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof DependencyUnavailable) return undefined;
    throw error;
  }
}
