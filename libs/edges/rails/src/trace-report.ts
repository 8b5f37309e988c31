import { type Mode } from '#domain/kernel';
import { tracing } from '#infra/runtime';

/**
 * Records a report of the rail in the trace of the request that it is about.
 * @param report `since`: when its command began, by `performance.now()`
 * @param confirmed the collection or payout after it
 */
export function traceReport(
  { by, mode, since }: { readonly by: string; readonly mode: Mode; readonly since: number },
  { traceparent, status }: { readonly traceparent?: string; readonly status: string },
): void {
  const span = tracing?.continue(`rail ${by}`, 'consumer', traceparent, since);
  span?.end({ 'pesapost.mode': mode, 'pesapost.status': status });
}
