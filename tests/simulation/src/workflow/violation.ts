/** An invariant of the runtime was broken. */
export class Violation extends Error {
  override readonly name: string = 'Violation';
}

/** @throws Violation */
export function must(holds: boolean, what: () => string): asserts holds {
  if (!holds) throw new Violation(what());
}
