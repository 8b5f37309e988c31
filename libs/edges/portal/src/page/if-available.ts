import { DependencyUnavailable } from '#domain/kernel';

/** Returns undefined if a server cannot answer at the moment, so that the page can show the rest. */
export async function ifAvailable<Value>(reading: Promise<Value>): Promise<Value | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof DependencyUnavailable) return undefined;
    throw error;
  }
}
