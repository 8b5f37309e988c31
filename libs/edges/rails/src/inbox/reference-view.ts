import { type Position } from '#domain/event-sourcing';
import { type Mode } from '#domain/kernel';

/** Which collections the read model knows under a rail reference, and as of which position of the log. */
export abstract class ReferenceView {
  /** @throws DependencyUnavailable */
  abstract position(): Promise<Position>;

  /** @throws DependencyUnavailable */
  abstract streamsWith(mode: Mode, railReference: string): Promise<readonly string[]>;
}
