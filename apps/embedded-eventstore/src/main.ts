import { readFileSync } from 'node:fs';
import { logLines, type WriteLogLine } from './log-line.js';
import { LiveHub } from './rpc/live-hub.js';
import { type RunningServer, startServer } from './server.js';
import { parseSettings, type Settings } from './settings.js';
import { writeFirstEvent } from './store/first-event.js';
import { UnusableDirectory } from './store/format.js';
import { type CommitListener, GroupWriter } from './store/group-writer.js';
import { openStore, type OpenStore } from './store/open-store.js';

process.title = 'pesapost-embedded-eventstore';

/** Prints one line for the person who started the process, and nothing else. */
function refuseToStart(why: string): never {
  process.stderr.write(`${why}\n`);
  process.exit(1);
}

async function open(directory: string): Promise<OpenStore> {
  try {
    return await openStore(directory);
  } catch (error) {
    if (error instanceof UnusableDirectory) return refuseToStart(error.message);
    throw error;
  }
}

function readTls({ tlsCertificateFile, tlsKeyFile }: Settings) {
  if (tlsCertificateFile === undefined || tlsKeyFile === undefined) return undefined;
  try {
    return { certificate: readFileSync(tlsCertificateFile), key: readFileSync(tlsKeyFile) };
  } catch (error) {
    return refuseToStart(
      `the TLS files cannot be read (${error instanceof Error ? error.message : 'unknown reason'})`,
    );
  }
}

async function serve(
  { log }: OpenStore,
  settings: Settings,
  write: WriteLogLine,
): Promise<RunningServer> {
  const tls = readTls(settings);
  const hub = new LiveHub();
  const now = () => Date.now() + settings.clockOffsetMs;
  const disk = diskLines(settings.directory, write);
  const onCommit: CommitListener = (appends) => {
    disk.wrote();
    hub.publish(appends);
  };
  const writer = new GroupWriter(log, now, onCommit, disk.refused);
  if (log.lastPosition === 0) await writeFirstEvent(writer);
  return startServer({ log, writer, hub }, { ...settings, tls });
}

/** Says once that the disk takes no writes, however many appends it refuses, and once that it takes them again. */
function diskLines(directory: string, write: WriteLogLine) {
  let isRefusing = false;
  return {
    refused: (reason: string): void => {
      if (isRefusing) return;
      isRefusing = true;
      const todo = `make room for ${directory}, and the store goes on by itself`;
      write('error', `appends are refused: the disk takes no writes; ${todo}`, { reason });
    },
    wrote: (): void => {
      if (isRefusing) write('info', 'the disk takes writes again');
      isRefusing = false;
    },
  };
}

/** Node would write its own warnings to stderr as plain text, where they hide the important line. */
function tellNodeWarnings(write: WriteLogLine): void {
  process.removeAllListeners('warning');
  process.on('warning', ({ name, message }) => {
    write('warn', message, { warning: name });
  });
}

function stopOnSignals(server: RunningServer, store: OpenStore, write: WriteLogLine): void {
  let stopping = false;
  const stop = (why: string) => {
    if (stopping) return;
    stopping = true;
    write('info', 'shutting down', { why });
    void server
      .stop()
      .then(() => store.close())
      .then(() => process.exit(0));
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  // The launcher opens a channel. If the channel closes, the launcher is gone.
  if (process.send !== undefined) {
    const orphaned = () => {
      stop('the parent process is gone');
    };
    if (process.connected) process.on('disconnect', orphaned);
    else orphaned();
  }
}

async function main(): Promise<void> {
  const parsed = parseSettings(process.env);
  if ('problems' in parsed) refuseToStart(parsed.problems.join('; '));
  const { settings } = parsed;
  const write = logLines(settings.logLevel);
  tellNodeWarnings(write);
  const store = await open(settings.directory);
  if (store.repair !== 'sound') {
    write('warn', 'the last write was torn and has been repaired', { repair: store.repair });
  }
  try {
    const server = await serve(store, settings, write);
    stopOnSignals(server, store, write);
    // Written at any LOG_LEVEL, because the parent process waits for this line.
    logLines('info')('info', 'listening', { port: server.port });
  } catch (error) {
    await store.close();
    const { host, port } = settings;
    refuseToStart(
      `cannot listen on ${host}:${port} (${error instanceof Error ? error.message : 'unknown reason'}): ` +
        'free the port, or set another EMBEDDED_EVENTSTORE_PORT',
    );
  }
}

await main();
