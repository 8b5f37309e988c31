import { mkdirSync, readFileSync } from 'node:fs';
import { logLines, type WriteLogLine } from './log-line.js';
import { LiveHub } from './rpc/live-hub.js';
import { type RunningServer, startServer } from './server.js';
import { parseSettings, type Settings } from './settings.js';
import { EventLog } from './store/event-log.js';
import { GroupWriter } from './store/group-writer.js';

process.title = 'pesapost-embedded-eventstore';

interface Running {
  readonly server: RunningServer;
  readonly log: EventLog;
}

async function start(settings: Settings, write: WriteLogLine): Promise<Running> {
  mkdirSync(settings.directory, { recursive: true });
  const log = new EventLog(settings.directory);
  const hub = new LiveHub();
  const now = () => Date.now() + settings.clockOffsetMs;
  const writer = new GroupWriter(log, now, hub.publish, (reason) => {
    write('error', 'appends refused: the disk took no write', { reason });
  });
  const { tlsCertificateFile, tlsKeyFile } = settings;
  const tls =
    tlsCertificateFile === undefined || tlsKeyFile === undefined
      ? undefined
      : { certificate: readFileSync(tlsCertificateFile), key: readFileSync(tlsKeyFile) };
  const server = await startServer({ log, writer, hub }, { ...settings, tls });
  return { server, log };
}

function stopOnSignals({ server, log }: Running, write: WriteLogLine): void {
  let stopping = false;
  const stop = (why: string) => {
    if (stopping) return;
    stopping = true;
    write('info', 'shutting down', { why });
    void server
      .stop()
      .then(() => log.close())
      .then(() => process.exit(0));
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  // The launcher passes a channel: where it closes, the launcher is gone.
  if (process.send !== undefined) {
    process.on('disconnect', () => {
      stop('the parent process is gone');
    });
  }
}

async function main(): Promise<void> {
  const parsed = parseSettings(process.env);
  if ('problems' in parsed) {
    process.stderr.write(`${parsed.problems.join('\n')}\n`);
    process.exit(1);
  }
  const { settings } = parsed;
  const write = logLines(settings.logLevel);
  const running = await start(settings, write);
  stopOnSignals(running, write);
  write('info', 'listening', { port: running.server.port });
}

await main();
