/**
 * A child loads this before its own code. If the launcher is gone, the child ends by itself within 5 s, even in the
 * middle of its start or of a slow shutdown.
 */
const graceMs = 4000;

function endSoon(): void {
  setTimeout(() => process.exit(1), graceMs).unref();
}

if (process.connected) process.once('disconnect', endSoon);
else endSoon();
