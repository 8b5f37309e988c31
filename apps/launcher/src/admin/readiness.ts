/** One child's answer at a health route; `body` is undefined if it gave none. */
export interface ChildAnswer {
  readonly process: string;
  readonly isOk: boolean;
  readonly body: Readonly<Record<string, unknown>> | undefined;
}

export interface MergedHealth {
  readonly status: 'ok' | 'degraded' | 'error';
  readonly processes: Readonly<Record<string, 'ok' | 'error'>>;
  /** The dependencies by name. If several processes report the same one, the worst answer wins. */
  readonly dependencies?: Readonly<Record<string, unknown>>;
  /** Members that a single process adds, such as the projector's position. */
  readonly [member: string]: unknown;
}

/** Merges all answers into one: `error` if a process is not ready, `degraded` if a process reports that, else `ok`. */
export function mergeHealth(answers: readonly ChildAnswer[]): MergedHealth {
  const dependencies: Record<string, unknown> = {};
  const extra: Record<string, unknown> = {};
  for (const { body } of answers) {
    const { status: _status, dependencies: own, ...rest } = body ?? {};
    Object.assign(extra, rest);
    for (const [name, answer] of Object.entries((own ?? {}) as Record<string, unknown>))
      if (!(name in dependencies) || isError(answer)) dependencies[name] = answer;
  }
  return {
    ...extra,
    status: statusOf(answers),
    processes: Object.fromEntries(
      answers.map(({ process, isOk }) => [process, isOk ? 'ok' : 'error'] as const),
    ),
    ...(Object.keys(dependencies).length > 0 && { dependencies }),
  };
}

function statusOf(answers: readonly ChildAnswer[]): MergedHealth['status'] {
  if (!answers.every(({ isOk }) => isOk)) return 'error';
  return answers.some(({ body }) => body?.['status'] === 'degraded') ? 'degraded' : 'ok';
}

function isError(answer: unknown): boolean {
  return (answer as { status?: unknown }).status === 'error';
}
