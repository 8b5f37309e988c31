interface Waiting<Row, Answer> {
  readonly row: Row;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

/** Commits many rows at once: rows that arrive during a commit go with the next. */
export class GroupCommit<Row, Answer = void> {
  #waiting: Waiting<Row, Answer>[] = [];
  #committing = false;

  /** @param commit writes the rows in one transaction and returns their answers in the same order */
  constructor(private readonly commit: (rows: readonly Row[]) => Promise<readonly Answer[]>) {}

  /** Resolves when the row is committed. */
  add(row: Row): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ row, resolve, reject });
      if (this.#committing) return;
      this.#committing = true;
      setImmediate(() => void this.#commitAll());
    });
  }

  async #commitAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const group = this.#waiting;
      this.#waiting = [];
      try {
        const answers = await this.commit(group.map(({ row }) => row));
        group.forEach(({ resolve }, index) => {
          resolve(answers[index] as Answer);
        });
      } catch (error) {
        for (const { reject } of group) reject(error);
      }
    }
    this.#committing = false;
  }
}
