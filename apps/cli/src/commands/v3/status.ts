import {
  datedWindows,
  phasesAt,
  rulesAt,
  sunsetDate,
  usageWindowDays,
} from '#domain/v3-retirement';
import { withApp } from '../../app.js';
import { printJson, printLines } from '../../print.js';
import { missingWords } from '../../v3/missing-words.js';
import { type Standing, standingOf } from '../../v3/standing.js';
import { table } from '../../table.js';
import { plainCommand } from '../plain-command.js';

export const status = plainCommand(
  'status',
  'shows V3’s phase, its rules, its use, and what is missing before it can be retired',
  'v3 status',
).action(async ({ json }: { readonly json?: true }) => {
  const standing = await withApp(standingOf);
  if (json) printJson(asJson(standing));
  else printLines(asLines(standing));
});

const minutesOfDay = 1440;

function asJson(standing: Standing): object {
  const { now, terms, usage, log, missing, minutes } = standing;
  const { gaDate, threshold } = terms;
  return {
    now,
    ga_date: gaDate,
    sunset_date: sunsetDate(gaDate),
    phases: phasesAt(gaDate, now),
    windows: datedWindows(gaDate),
    enforced: rulesAt(gaDate, now),
    usage: {
      days: usageWindowDays,
      calls: usage.callsInWindow,
      threshold,
      counting_since: usage.countingSince?.toISOString() ?? null,
      uncounted_days: usage.uncountedDays,
      partly_counted_days: partlyCounted(minutes, now),
    },
    notices: log.notices,
    retired: log.retired
      ? {
          at: log.retired.at,
          operator: log.retired.operator,
          reason: log.retired.reason ?? null,
          calls_in_window: log.retired.callsInWindow,
          threshold: log.retired.threshold,
        }
      : null,
    missing_to_retire: log.retired ? [] : missing,
  };
}

/** Days before today on which the service was down for some of the time, so that no one could call then. */
function partlyCounted(
  minutes: ReadonlyMap<string, number>,
  now: string,
): readonly { readonly day: string; readonly minutes: number }[] {
  return [...minutes]
    .filter(([day, counted]) => day < now.slice(0, 10) && counted < minutesOfDay)
    .map(([day, counted]) => ({ day, minutes: counted }));
}

function asLines(standing: Standing): readonly string[] {
  const { now, terms, log } = standing;
  const { gaDate } = terms;
  if (log.retired) {
    const { at, operator, reason, callsInWindow, threshold } = log.retired;
    return [
      `V3 is retired since ${at}, by ${operator}${reason === undefined ? '' : ` (${reason})`}.`,
      `Merchants had made ${callsInWindow} calls in ${usageWindowDays} days; the threshold was ${threshold}.`,
      'Every call of V3 answers 410 {"error":"gone"}, for good.',
    ];
  }
  const phases = phasesAt(gaDate, now);
  const windows = datedWindows(gaDate).map(({ phase, from, until, enforces }) => [
    phases.includes(phase) ? `> ${phase}` : `  ${phase}`,
    from,
    until ?? '',
    enforces.join(', '),
  ]);
  return [
    `now ${now}; V4 available since ${gaDate}; phase: ${phases.join(' and ') || 'before V4'}`,
    ...table(['phase', 'from', 'until', 'brings into force'], windows),
    `in force: ${rulesAt(gaDate, now).join(', ') || 'the headers only'}`,
    ...usageLines(standing),
    ...noticeLines(standing),
  ];
}

function usageLines({ usage, terms, minutes, now }: Standing): readonly string[] {
  const partly = partlyCounted(minutes, now);
  const hours = partly.map(({ day, minutes: counted }) => `${day}: ${(counted / 60).toFixed(1)} h`);
  return [
    `calls of merchants in ${usageWindowDays} days: ${usage.callsInWindow} (threshold ${terms.threshold})`,
    usage.countingSince === undefined
      ? 'not counted yet: the API counts calls'
      : `counted since ${usage.countingSince.toISOString()}, on ${usageWindowDays - usage.uncountedDays.length} of the ${usageWindowDays} days before today`,
    ...(hours.length === 0 ? [] : [`  for part of the day: ${hours.join(', ')}`]),
  ];
}

function noticeLines(standing: Standing): readonly string[] {
  const { log, missing } = standing;
  return [
    ...(log.notices.length === 0
      ? ['final notice: none']
      : log.notices.map(
          ({ at, operator, text }) => `final notice of ${at}, by ${operator}: ${text}`,
        )),
    ...(missing.length === 0
      ? ['V3 may be retired now: npx pesapost v3 retire']
      : ['missing to retire:', ...missingWords(missing, standing).map((line) => `  - ${line}`)]),
  ];
}
