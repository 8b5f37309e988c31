/**
 * Caches the result of the work for this long. Callers that come meanwhile share one call, so that scrapes cost the
 * same however many there are. A failure is cached as well.
 */
export function cachedFor<T>(ms: number, work: () => Promise<T>): () => Promise<T> {
  let last: { readonly value: Promise<T>; readonly endsAt: number } | undefined;
  return () => {
    if (last && performance.now() < last.endsAt) return last.value;
    const value = work();
    value.catch(() => undefined);
    last = { value, endsAt: performance.now() + ms };
    return value;
  };
}
