import type { Rewind } from '@halyard/contracts';
import { isBelow } from '../waits/waits.ts';

/** How often parts of an execution were rewound, and the numbers of their idempotency keys. */
export class Generations {
  readonly #rewinds: readonly Rewind[];

  constructor(rewinds: readonly Rewind[]) {
    this.#rewinds = rewinds;
  }

  /** How often the step at this path got a new idempotency key. */
  keyOf(path: string): number {
    return this.#rewinds.filter(({ newKeys, paths }) => covers(newKeys ?? paths, path)).length;
  }

  /** Whether something inside this step was rewound. */
  reachInto(path: string): boolean {
    return this.#rewinds.some(({ paths }) => paths.some((rewound) => isBelow(rewound, path)));
  }

  /** Whether an event of this step is from before its last rewind. */
  isOutdated(path: string, seq: number): boolean {
    return this.#rewinds.some((rewind) => seq <= rewind.seq && covers(rewind.paths, path));
  }
}

function covers(paths: readonly string[], path: string): boolean {
  return paths.some((rewound) => rewound === path || isBelow(path, rewound));
}
