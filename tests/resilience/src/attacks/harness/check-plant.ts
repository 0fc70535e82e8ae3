import type { Attack } from './attack.ts';

/** Refuses a name that no attack plants: the attacks would run without a bug. */
export function checkPlant(plant: string | undefined, attacks: readonly Pick<Attack, 'plants'>[]): void {
  const plants = new Set(attacks.flatMap((attack) => Object.keys(attack.plants)));
  if (plant !== undefined && !plants.has(plant))
    throw new Error(`no such plant: ${plant}; the plants are ${[...plants].toSorted().join(', ')}`);
}
