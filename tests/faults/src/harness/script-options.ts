import { parseArgs } from 'node:util';
import type { PlantName } from '../plants.ts';

export interface ScriptOptions {
  readonly isShort: boolean;
  readonly seed: number;
  /** `--kills=200` and the like: what is not given is the script's to choose. */
  readonly number: (name: string, otherwise: number) => number;
  /** Runs with this bug alone, and fails: to look at what a checker says of it. */
  readonly plant: PlantName | undefined;
}

/** What the script was called with: `--short`, `--seed=7`, `--plant=no-fence`, and sizes. */
export function scriptOptions(): ScriptOptions {
  const { values } = parseArgs({ strict: false, args: process.argv.slice(2) });
  const number = (name: string, otherwise: number): number => {
    const given = values[name];
    return typeof given === 'string' ? Number(given) : otherwise;
  };
  return {
    isShort: values['short'] === true,
    seed: number('seed', Date.now() % 1_000_000),
    number,
    plant: typeof values['plant'] === 'string' ? (values['plant'] as PlantName) : undefined,
  };
}
