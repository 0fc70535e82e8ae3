import type { Rewind } from '@halyard/contracts';
import { isBelow } from '../waits/waits.ts';

/** How often parts of an execution were rewound: steps there are other steps than before, with other idempotency keys. */
export class Generations {
  readonly #rewinds: readonly Rewind[];

  constructor(rewinds: readonly Rewind[]) {
    this.#rewinds = rewinds;
  }

  of(path: string): number {
    let generation = 0;
    for (const { paths } of this.#rewinds) if (covers(paths, path)) generation += 1;
    return generation;
  }

  /** Whether something inside this step was rewound. */
  reachInto(path: string): boolean {
    return this.#rewinds.some(({ paths }) => paths.some((rewound) => isBelow(rewound, path)));
  }

  /** Whether what was told of this step up to an event was of an earlier generation. */
  isOver(path: string, seq: number): boolean {
    return this.#rewinds.some((rewind) => seq <= rewind.seq && covers(rewind.paths, path));
  }
}

function covers(paths: readonly string[], path: string): boolean {
  return paths.some((rewound) => rewound === path || isBelow(path, rewound));
}
