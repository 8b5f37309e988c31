/** The answer of one process at /metrics, in Prometheus' text format. */
export interface Exposition {
  readonly process: string;
  readonly text: string;
}

interface Family {
  readonly comments: string[];
  readonly samples: string[];
}

const comment = /^# (?:HELP|TYPE) (\S+)/;
const sample = /^([A-Za-z_:][A-Za-z0-9_:]*)(?:\{(.*)\})? (.+)$/;

/**
 * Merges all expositions into one. Every sample gains the label `process`, and all samples of a metric follow one HELP
 * and TYPE, as the format demands.
 */
export function mergeExpositions(expositions: readonly Exposition[]): string {
  const families = new Map<string, Family>();
  for (const exposition of expositions) addTo(families, exposition);
  return [...families.values()]
    .flatMap(({ comments, samples }) => [...comments, ...samples])
    .map((line) => `${line}\n`)
    .join('');
}

function addTo(families: Map<string, Family>, { process, text }: Exposition): void {
  const known = new Set(families.keys());
  let family: Family | undefined;
  for (const line of text.split('\n')) {
    const name = comment.exec(line)?.[1];
    if (name !== undefined) {
      family = familyOf(families, name);
      if (!known.has(name)) family.comments.push(line);
      continue;
    }
    const [, metric, labels, rest] = sample.exec(line) ?? [];
    if (metric === undefined || rest === undefined) continue;
    const labelled = `process="${process}"${labels === undefined || labels === '' ? '' : `,${labels}`}`;
    (family ?? familyOf(families, metric)).samples.push(`${metric}{${labelled}} ${rest}`);
  }
}

function familyOf(families: Map<string, Family>, name: string): Family {
  const found = families.get(name) ?? { comments: [], samples: [] };
  families.set(name, found);
  return found;
}
