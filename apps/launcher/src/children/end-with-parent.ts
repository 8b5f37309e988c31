/**
 * Loaded before a child's own code: where the launcher is gone, the child ends by itself within 5 s, also in
 * the middle of its start and whatever its own shutdown waits for.
 */
const graceMs = 4000;

function endSoon(): void {
  setTimeout(() => process.exit(1), graceMs).unref();
}

if (process.connected) process.once('disconnect', endSoon);
else endSoon();
