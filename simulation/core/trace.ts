/** The events of a schedule in plain words, kept only if they will be read. */
export class Trace {
  readonly lines: string[] = [];

  constructor(
    private readonly isKept: boolean,
    private readonly elapsedMs: () => number,
  ) {}

  tell(text: () => string): void {
    if (this.isKept) this.lines.push(`${clockText(this.elapsedMs())}  ${text()}`);
  }
}

/** `47:59:59.123`, hours first. */
function clockText(ms: number): string {
  const whole = Math.floor(ms);
  const [hours, minutes, seconds] = [3_600_000, 60_000, 1000].map(
    (unit, index) => Math.floor(whole / unit) % (index === 0 ? Number.MAX_SAFE_INTEGER : 60),
  );
  const two = (value = 0): string => String(value).padStart(2, '0');
  return `${two(hours)}:${two(minutes)}:${two(seconds)}.${String(whole % 1000).padStart(3, '0')}`;
}
