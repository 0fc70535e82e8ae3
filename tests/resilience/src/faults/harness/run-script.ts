import type { PlantName } from '../plants.ts';
import { type ScriptOptions, scriptOptions } from './script-options.ts';
import { SeededRandom } from './seeded-random.ts';

/** The result of a run. */
export interface Outcome {
  readonly figures: Readonly<Record<string, number>>;
  /** Violations, one line each. */
  readonly problems: readonly string[];
  /**
   * Findings that depend on the speed of the machine: bounds of time that were exceeded, and faults
   * that came too late to prove anything. Always printed. Problems only in a strict run.
   */
  readonly timing?: readonly string[];
}

export interface Run {
  readonly random: SeededRandom;
  readonly options: ScriptOptions;
  /** The planted bug that the checks must find. Undefined: the checks must find nothing. */
  readonly plant: PlantName | undefined;
}

export interface Script {
  readonly name: string;
  readonly run: (run: Run) => Promise<Outcome>;
  /** The bugs that the strict short form plants, and a problem that it must then report. */
  readonly plants: Partial<Readonly<Record<PlantName, RegExp>>>;
}

const shownProblems = 20;

/**
 * Runs a script with the options of the command line. Prints one line of figures and the problems.
 * The strict short form then plants each bug, in parallel, and fails when the same checks miss it.
 */
export async function runScript({ name, plants, run }: Script): Promise<void> {
  const options = scriptOptions();
  const { isShort, isStrict, plant, seed } = options;
  const timed = async (planted: PlantName | undefined): Promise<Outcome> => {
    const began = performance.now();
    const { figures, problems, timing = [] } = await run({ options, random: new SeededRandom(seed), plant: planted });
    const seconds = Math.round((performance.now() - began) / 100) / 10;
    const what = planted === undefined ? {} : { plant: planted };
    const counts = { problems: problems.length, timing: timing.length };
    console.log(JSON.stringify({ script: name, seed, ...what, ...figures, ...counts, seconds }));
    return { figures, problems: isStrict ? [...problems, ...timing] : problems, timing };
  };

  const { problems, timing = [] } = await timed(plant);
  print(problems);
  if (!isStrict) print(timing.map((one) => `not checked here: ${one}`));
  const planted = isShort && isStrict && plant === undefined ? (Object.entries(plants) as [PlantName, RegExp][]) : [];
  const missed = await Promise.all(
    planted.map(async ([bug, expected]) => {
      const found = (await timed(bug)).problems.find((problem) => expected.test(problem));
      console.log(`  the planted bug ${bug} ${found === undefined ? 'was not found' : `was found: ${found}`}`);
      return found === undefined ? [bug] : [];
    }),
  );
  process.exitCode = problems.length === 0 && missed.flat().length === 0 ? 0 : 1;
}

function print(problems: readonly string[]): void {
  for (const problem of problems.slice(0, shownProblems)) console.log(`  ${problem}`);
  if (problems.length > shownProblems) console.log(`  and ${problems.length - shownProblems} more`);
}
