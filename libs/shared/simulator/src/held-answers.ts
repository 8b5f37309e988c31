import type { FastifyReply } from 'fastify';

/** Answers that are held back. When the simulator stops, their connections break. */
export class HeldAnswers {
  private readonly held = new Set<() => void>();

  /** @returns true if the wait ended; false if the simulator stopped first */
  wait(ms: number): Promise<boolean> {
    return new Promise((resolve) => {
      const end = (waited: boolean) => {
        clearTimeout(timer);
        this.held.delete(giveUp);
        resolve(waited);
      };
      const giveUp = () => {
        end(false);
      };
      const timer = setTimeout(end, ms, true);
      this.held.add(giveUp);
    });
  }

  stop(): void {
    for (const giveUp of this.held) giveUp();
  }
}

/** Closes the connection without a byte of an answer. */
export function breakOff(reply: FastifyReply): FastifyReply {
  reply.hijack();
  reply.raw.destroy();
  return reply;
}
