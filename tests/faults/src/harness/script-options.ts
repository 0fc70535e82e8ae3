import { parseArgs } from 'node:util';
import type { PlantName } from '../plants.ts';

export interface ScriptOptions {
  readonly isShort: boolean;
  /**
   * Bounds of time must hold, and planted bugs must be found. The short form is not strict unless
   * `--strict` is given, because a busy machine decides both.
   */
  readonly isStrict: boolean;
  readonly seed: number;
  /** A number such as `--kills=200`. @param otherwise the default. */
  readonly number: (name: string, otherwise: number) => number;
  /** Runs with this planted bug only, and fails: shows what the checks report. */
  readonly plant: PlantName | undefined;
}

/** Parses the command line: `--short`, `--strict`, `--seed=7`, `--plant=no-fence`, and sizes. */
export function scriptOptions(): ScriptOptions {
  const { values } = parseArgs({ strict: false, args: process.argv.slice(2) });
  const number = (name: string, otherwise: number): number => {
    const given = values[name];
    return typeof given === 'string' ? Number(given) : otherwise;
  };
  const isShort = values['short'] === true;
  const isStrict = !isShort || values['strict'] === true;
  return {
    isShort,
    isStrict,
    seed: number('seed', isStrict ? Date.now() % 1_000_000 : 1),
    number,
    plant: typeof values['plant'] === 'string' ? (values['plant'] as PlantName) : undefined,
  };
}
