import { eventually, type MerchantClient, type Service } from '#testing';
import { randomUUID } from 'node:crypto';

/**
 * The time from a fault's end, or a process's death, to normal service: 10 s, and several times that for a machine on
 * which other specs run.
 */
export const steadyWithinMs = 60_000;

/** The answer of a process's /health/ready. */
export interface Readiness {
  readonly status: number;
  /** Dependencies that did not answer. */
  readonly failing: readonly string[];
}

export async function readinessOf(adminPort: number | undefined): Promise<Readiness> {
  const url = `http://127.0.0.1:${String(adminPort)}/health/ready`;
  const response = await fetch(url, { signal: AbortSignal.timeout(30_000) });
  const { dependencies } = (await response.json()) as {
    dependencies: Record<string, { status: string }>;
  };
  const failing = Object.entries(dependencies).filter(([, { status }]) => status !== 'ok');
  return { status: response.status, failing: failing.map(([name]) => name) };
}

const processes = ['api', 'projector', 'worker'] as const;

/**
 * Waits until every process is ready and a new collection goes all the way: accepted, confirmed by the rail, shown in
 * the list and in the balance.
 * @returns milliseconds since `sinceMs`, by the monotonic clock
 */
export async function steadyAgain(
  service: Service,
  sinceMs: number,
  merchant: MerchantClient = service.merchant,
): Promise<number> {
  const { accountNo } = merchant.credentials;
  const soon = { withinMs: 120_000, everyMs: 100 };
  const reference = await acceptedReference(merchant, soon);
  await eventually(
    () => merchant.get(`/api/v4/transactions?limit=100`).catch(() => undefined),
    (answer) => isCompleted(answer?.body['data'], reference),
    soon,
  );
  await eventually(
    () => merchant.get(`/api/v4/accounts/${accountNo}/balance`).then(statusOf, () => 0),
    (status) => status === 200,
    soon,
  );
  await eventually(
    () =>
      Promise.all(
        processes.map((app) =>
          readinessOf(service.child(app).ports.adminPort).then(statusOf, () => 0),
        ),
      ),
    (statuses) => statuses.every((status) => status === 200),
    soon,
  );
  return performance.now() - sinceMs;
}

/** A new collection for each attempt: one that was refused while the rail was down stays refused. */
async function acceptedReference(merchant: MerchantClient, soon: object): Promise<string> {
  const accepted = await eventually(
    () => merchant.collect({ reference: `steady-${randomUUID()}` }).catch(() => undefined),
    (answer) => answer?.status === 202,
    soon,
  );
  return String(accepted?.body['reference']);
}

const statusOf = ({ status }: { readonly status: number }): number => status;

function isCompleted(data: unknown, reference: string): boolean {
  return (
    Array.isArray(data) &&
    data.some(
      (item: { reference: string; status: string }) =>
        item.reference === reference && item.status === 'completed',
    )
  );
}
