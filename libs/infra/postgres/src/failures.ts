import { DependencyUnavailable } from '#domain/kernel';
import { isError } from '#infra/runtime';
import pg from 'pg';

/**
 * SQLSTATE classes and codes that speak of the server's state rather than of our statement: connection
 * failures (08), resources used up (53), operator intervention and statement time-outs (57), system errors
 * (58), a lock not had in time, a transaction that sat idle, a server that is read-only while it fails over, a
 * statement that a replica gave up because it could not wait any longer with what the primary had changed.
 */
const unavailableState = /^(08|53|57|58)|^(55P03|25P03|25P04|25006|40001)$/;

/** Turns what the driver throws for a server that cannot answer into DependencyUnavailable; the rest stays. */
export function classify(error: unknown): unknown {
  if (error instanceof DependencyUnavailable) return error;
  if (error instanceof pg.DatabaseError)
    return unavailableState.test(error.code ?? '')
      ? new DependencyUnavailable('postgres', `SQLSTATE ${error.code ?? 'unknown'}`, {
          cause: error,
        })
      : error;
  return isConnectionFailure(error)
    ? new DependencyUnavailable('postgres', 'no connection or no answer in time', { cause: error })
    : error;
}

/** Socket errors carry a code such as ECONNREFUSED; the driver's own have a message only. */
function isConnectionFailure(error: unknown): boolean {
  if (!isError(error)) return false;
  // A name with several addresses fails once for each.
  if ('errors' in error && Array.isArray(error.errors))
    return error.errors.some(isConnectionFailure);
  const code = (error as NodeJS.ErrnoException).code;
  if (code !== undefined && /^(E[A-Z]+|ERR_(SSL|TLS|STREAM|SOCKET)_[A-Z_]+)$/.test(code))
    return true;
  return /timeout|terminated|not queryable|connection (error|ended)|closed the connection|calling end on the pool/i.test(
    error.message,
  );
}

/** Whether the server's disk is full: nothing helps but a person who makes room. */
export function isDiskFull(error: unknown): boolean {
  if (error instanceof DependencyUnavailable) return isDiskFull(error.cause);
  return error instanceof pg.DatabaseError && error.code === '53100';
}

/** Whether the statement broke a unique constraint. */
export function isUniqueViolation(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '23505';
}

/**
 * Whether what was to be written is at fault rather than the server or the statement: data that do not fit (class 22)
 * and broken constraints (23).
 */
export function isRefusedData(error: unknown): boolean {
  return error instanceof pg.DatabaseError && /^2[23]/.test(error.code ?? '');
}
