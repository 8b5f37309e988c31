/** The result of `underDeadline` when time is up. */
export const expired = Symbol('expired');

/**
 * Runs until it ends, time is up or the outer signal aborts, whichever is first. Then the signal that it received
 * aborts. The result comes at that moment, even if `run` ignores its signal.
 * @throws the outer signal's reason
 */
export async function underDeadline<Value>(
  timeoutMs: number,
  outer: AbortSignal | undefined,
  run: (signal: AbortSignal) => Promise<Value>,
): Promise<Value | typeof expired> {
  outer?.throwIfAborted();
  const controller = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let abort = (): void => undefined;
  const cutShort = new Promise<typeof expired>((resolve, reject) => {
    timer = setTimeout(resolve, timeoutMs, expired);
    abort = () => {
      reject(outer?.reason as Error);
    };
    outer?.addEventListener('abort', abort, { once: true });
  });
  try {
    return await Promise.race([run(controller.signal), cutShort]);
  } finally {
    clearTimeout(timer);
    outer?.removeEventListener('abort', abort);
    controller.abort();
  }
}

/** @throws the signal's reason */
export async function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  await underDeadline(ms, signal, () => new Promise<never>(() => undefined));
}
