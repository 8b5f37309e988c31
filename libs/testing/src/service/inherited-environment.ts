/**
 * What a child of a spec takes over: where programs are, the code that was compiled before, and the clock that the whole
 * run was given, if any.
 */
const names = [
  ...['PATH', 'NODE_COMPILE_CACHE'],
  ...['LD_PRELOAD', 'FAKETIME', 'FAKETIME_DONT_FAKE_MONOTONIC'],
];

/** V3's schedule begins on the day of the run: on any day V3 is there to be tested. */
export const generalAvailability = { V4_GA_DATE: new Date().toISOString().slice(0, 10) };

/** The environment under which a spec starts processes of ours; what they are told comes on top. */
export function inheritedEnvironment(): Record<string, string> {
  const inherited = names.flatMap<[string, string]>((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  });
  return { ...Object.fromEntries(inherited), ...generalAvailability };
}
