import type { PlantName } from '../plants.ts';
import { type ScriptOptions, scriptOptions } from './script-options.ts';
import { SeededRandom } from './seeded-random.ts';

/** The result of a run. */
export interface Outcome {
  readonly figures: Readonly<Record<string, number>>;
  /** Violations, one line each. */
  readonly problems: readonly string[];
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
  /** The bugs that the short form plants, and a problem that it must then report. */
  readonly plants: Partial<Readonly<Record<PlantName, RegExp>>>;
}

const shownProblems = 20;

/**
 * Runs a script with the options of the command line. Prints one line of figures and the problems. The short form then plants each bug, in parallel, and fails when the same
 * checks do not find it.
 */
export async function runScript({ name, plants, run }: Script): Promise<void> {
  const options = scriptOptions();
  const { isShort, plant, seed } = options;
  const timed = async (planted: PlantName | undefined): Promise<Outcome> => {
    const began = performance.now();
    const outcome = await run({ options, random: new SeededRandom(seed), plant: planted });
    const seconds = Math.round((performance.now() - began) / 100) / 10;
    const what = planted === undefined ? {} : { plant: planted };
    const line = { script: name, seed, ...what, ...outcome.figures, problems: outcome.problems.length, seconds };
    console.log(JSON.stringify(line));
    return outcome;
  };

  const { problems } = await timed(plant);
  print(problems);
  const planted = isShort && plant === undefined ? (Object.entries(plants) as [PlantName, RegExp][]) : [];
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
