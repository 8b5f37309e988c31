/**
 * Takes the first of each list, then the second of each. So one rail's many questions do not delay another's (RAIL-32).
 */
export function alternated<Item>(lists: readonly (readonly Item[])[]): readonly Item[] {
  const longest = Math.max(0, ...lists.map((list) => list.length));
  return Array.from({ length: longest }, (_, turn) =>
    lists.flatMap((list) => list.slice(turn, turn + 1)),
  ).flat();
}
