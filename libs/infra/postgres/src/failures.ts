import { DependencyUnavailable } from '#domain/kernel';
import { isError, refusedCertificate } from '#infra/runtime';
import pg from 'pg';

/**
 * SQLSTATE classes and codes about the server's state rather than our statement: connection failures (08), exhausted
 * resources (53), operator intervention and statement timeouts (57), system errors (58), a lock timeout, a transaction
 * that was idle, a server that is read-only during a fail-over, and a statement that a replica cancelled because it
 * could not delay the primary's changes any longer.
 */
const unavailableState = /^(08|53|57|58)|^(55P03|25P03|25P04|25006|40001)$/;

/** Converts the driver's errors for a server that cannot answer into DependencyUnavailable; returns others unchanged. */
export function classify(error: unknown): unknown {
  if (error instanceof DependencyUnavailable) return error;
  if (error instanceof pg.DatabaseError)
    return unavailableState.test(error.code ?? '')
      ? new DependencyUnavailable('postgres', reasonOf(error.code), { cause: error })
      : error;
  const certificate = refusedCertificate(error, 'sslrootcert of DATABASE_URL');
  if (certificate !== undefined)
    return new DependencyUnavailable('postgres', certificate, { cause: error });
  return isConnectionFailure(error)
    ? new DependencyUnavailable('postgres', 'no connection or no answer in time', { cause: error })
    : error;
}

const diskFull = '53100';

/** The reason and, if only a person can end it, the action. */
function reasonOf(code = 'unknown'): string {
  return code === diskFull
    ? 'its disk is full; make room, and the service goes on by itself'
    : `SQLSTATE ${code}`;
}

/** Socket errors have a code such as ECONNREFUSED; the driver's own have only a message. */
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

/** True if a statement waited for a lock as long as `lock_timeout` allows. */
export function isLockTimeout(error: unknown): boolean {
  if (error instanceof DependencyUnavailable) return isLockTimeout(error.cause);
  return error instanceof pg.DatabaseError && error.code === '55P03';
}

/** True if the server's disk is full: only a person who makes room can help. */
export function isDiskFull(error: unknown): boolean {
  if (error instanceof DependencyUnavailable) return isDiskFull(error.cause);
  return error instanceof pg.DatabaseError && error.code === diskFull;
}

/** True if the role may not do what the statement does. */
export function isMissingRight(error: unknown): error is pg.DatabaseError {
  return error instanceof pg.DatabaseError && error.code === '42501';
}

/** True if the statement violated a unique constraint. */
export function isUniqueViolation(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '23505';
}

/**
 * True if the written data are at fault rather than the server or the statement: data that do not fit (class 22) and
 * violated constraints (23).
 */
export function isRefusedData(error: unknown): boolean {
  return error instanceof pg.DatabaseError && /^2[23]/.test(error.code ?? '');
}
