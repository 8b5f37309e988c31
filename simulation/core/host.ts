import { Dice } from './dice.js';
import { Life } from './life.js';
import { type World } from './world.js';

/** A process that is restarted whenever it dies, as the launcher or an orchestrator does. */
export class Host<Program> {
  life: Life;
  program: Program;
  #runs = 0;

  constructor(
    private readonly world: World,
    readonly name: string,
    private readonly start: (life: Life) => Program,
  ) {
    [this.life, this.program] = this.#begin();
  }

  #begin(): [Life, Program] {
    this.#runs += 1;
    const life = new Life(this.world, this.name, this.#runs, (label) => {
      this.#die(label);
    });
    return [life, this.start(life)];
  }

  #die(label: string): void {
    const { world, life, name } = this;
    life.end();
    const dice = new Dice(world.seed, `${label}: restart`);
    const afterMs = dice.chance(0.8) ? dice.between(100, 3000) : dice.between(3000, 120_000);
    world.tell(() => `${name} dies`);
    world.scheduler.add({
      dueMs: world.nowMs + afterMs,
      tie: dice.bits(),
      run: () => {
        world.tell(() => `${name} starts again and remembers nothing`);
        [this.life, this.program] = this.#begin();
      },
    });
  }
}
