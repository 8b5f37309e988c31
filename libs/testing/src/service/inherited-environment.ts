/**
 * Variables that a child of a spec inherits: the paths of programs, the compile cache, and the clock of the whole run,
 * if any.
 */
const names = [
  ...['PATH', 'NODE_COMPILE_CACHE'],
  ...['LD_PRELOAD', 'FAKETIME', 'FAKETIME_DONT_FAKE_MONOTONIC'],
];

/** V3's schedule begins on the day of the run, so V3 can be tested on any day. */
export const generalAvailability = { V4_GA_DATE: new Date().toISOString().slice(0, 10) };

/** The environment in which a spec starts our processes; their own settings are added to it. */
export function inheritedEnvironment(): Record<string, string> {
  const inherited = names.flatMap<[string, string]>((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  });
  return { ...Object.fromEntries(inherited), ...generalAvailability };
}
