import { type RailPayment } from '#domain/collections';
import { type Position } from '#domain/event-sourcing';

/** Which collections the read model knows under a rail reference, and as of which position of the log. */
export abstract class ReferenceView {
  /** @throws DependencyUnavailable */
  abstract position(): Promise<Position>;

  /** @throws DependencyUnavailable */
  abstract streamsWith(payment: RailPayment): Promise<readonly string[]>;
}
