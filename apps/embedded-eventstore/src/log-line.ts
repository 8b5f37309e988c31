/** From the most verbose to the quietest. */
export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

export type WriteLogLine = (
  level: Exclude<LogLevel, 'silent'>,
  msg: string,
  fields?: Readonly<Record<string, string | number>>,
) => void;

/** Writes JSON lines to stdout, in the form of the service's other processes. */
export function logLines(least: LogLevel): WriteLogLine {
  const threshold = logLevels.indexOf(least);
  return (level, msg, fields = {}) => {
    if (logLevels.indexOf(level) < threshold) return;
    const time = new Date().toISOString();
    const { pid } = process;
    const line = { level, time, app: 'embedded-eventstore', pid, msg, ...fields };
    process.stdout.write(`${JSON.stringify(line)}\n`);
  };
}
