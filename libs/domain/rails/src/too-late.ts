/**
 * The most time from before the append that permits the send, until the request goes to the rail. The event store
 * answers within 5 s or not at all. A process that takes longer than this was suspended in between, and people may have
 * decided meanwhile.
 */
const maxBeforeSendingMs = 30_000;

/** @param fromMs a time before the append */
export function isTooLateToSend(fromMs: number, nowMs: number): boolean {
  return nowMs - fromMs > maxBeforeSendingMs;
}
