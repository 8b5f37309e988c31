/** A warning of Node's, such as DEP0123, in the members of a log line. */
export interface NodeWarning {
  readonly warning: string;
  readonly code?: string;
}

/**
 * Node writes its own warnings to stderr as plain text, where they break JSON lines and hide the important line. From
 * now on they go to `tell` instead.
 */
export function onNodeWarning(tell: (details: NodeWarning, message: string) => void): void {
  process.removeAllListeners('warning');
  process.on('warning', (warning: Error & { readonly code?: string }) => {
    const { name, code, message } = warning;
    tell({ warning: name, ...(code !== undefined && { code }) }, message);
  });
}
