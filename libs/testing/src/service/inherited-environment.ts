/** What a child of a spec takes over: where programs are, and the clock that the whole run was given, if any. */
const names = ['PATH', 'LD_PRELOAD', 'FAKETIME', 'FAKETIME_DONT_FAKE_MONOTONIC'];

/** The environment under which a spec starts processes of ours; what they are told comes on top. */
export function inheritedEnvironment(): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
