import { expect, it } from 'vitest';
import { plantedBugs } from './planted-bugs.ts';
import { simulateSeed } from './simulate-seed.ts';
import { Violation } from './violation.ts';

/** As many as the simulation runs by default. */
const seeds = 2_000;

it.each(plantedBugs)('the simulation finds the bug: $what', { timeout: 60_000 }, async ({ createStore, plant }) => {
  const takeOut = plant?.();
  try {
    expect(await firstViolation(createStore)).toBeInstanceOf(Violation);
  } finally {
    takeOut?.();
  }
});

async function firstViolation(createStore: (typeof plantedBugs)[number]['createStore']): Promise<unknown> {
  for (let seed = 0; seed < seeds; seed += 1) {
    try {
      await simulateSeed(seed, createStore === undefined ? {} : { createStore });
    } catch (error) {
      return error;
    }
  }
  return undefined;
}
