import { expect, it } from 'vitest';
import { plantedBugs } from './planted-bugs.ts';
import { simulateSeed } from './simulate-seed.ts';
import { Violation } from './violation.ts';

/** The default number of seeds of the simulation. */
const seeds = 2_000;

it.each(plantedBugs)('the simulation finds that $what', { timeout: 240_000 }, async ({ createStore, plant }) => {
  const remove = plant?.();
  try {
    expect(await firstViolation(createStore)).toBeInstanceOf(Violation);
  } finally {
    remove?.();
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
