/** Is it the system error of this code (`ENOENT`, `EEXIST`, …)? */
export function hasCode(error: unknown, code: string): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === code;
}
