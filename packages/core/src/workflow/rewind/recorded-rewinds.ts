import type { Rewind } from '@halyard/contracts';
import { isAtOrBelow, isBelow } from '../definition/place.ts';

/**
 * The rewinds of an execution: which steps have new idempotency keys since, and which events they
 * have made obsolete.
 */
export class RecordedRewinds {
  readonly #rewinds: readonly Rewind[];

  constructor(rewinds: readonly Rewind[]) {
    this.#rewinds = rewinds;
  }

  /** How often the step at this path got a new idempotency key. */
  countNewKeys(path: string): number {
    return this.#rewinds.filter(({ newKeys, paths }) => covers(newKeys ?? paths, path)).length;
  }

  /** Whether something inside this step was rewound. */
  hasRewoundInside(path: string): boolean {
    return this.#rewinds.some(({ paths }) => paths.some((rewound) => isBelow(rewound, path)));
  }

  /** Whether an event of this step is from before its last rewind. */
  isOutdated(path: string, seq: number): boolean {
    return this.#rewinds.some((rewind) => seq <= rewind.seq && covers(rewind.paths, path));
  }
}

function covers(paths: readonly string[], path: string): boolean {
  return paths.some((rewound) => isAtOrBelow(path, rewound));
}
