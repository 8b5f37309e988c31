import { type Settings } from '#infra/runtime';

/** Settings for V3's end. */
export class V3Terms {
  /** V4_GA_DATE. */
  readonly gaDate: string;
  /** V3_RETIRE_THRESHOLD. */
  readonly threshold: number;

  constructor({ v4GaDate, v3RetireThreshold }: Settings) {
    this.gaDate = v4GaDate;
    this.threshold = v3RetireThreshold;
  }
}
