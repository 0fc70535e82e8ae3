import { ConfigurationError } from './errors.ts';

/**
 * The names of the options of a type; of a union, those of all its members. The compiler reports a
 * name that is missing.
 */
export type OptionNames<Options> = Readonly<Record<Options extends unknown ? keyof Options : never, true>>;

/**
 * Checks that every option that is set exists. A misspelt option would be ignored otherwise.
 *
 * @param owner the owner of the options, as the error names it: `createServer`, or `Agent
 * "support"`.
 * @param foreign the names that other frameworks have for options: `{ inputSchema: 'input' }`.
 * @throws ConfigurationError naming the unknown option and the nearest known one.
 */
export function checkOptionNames(
  owner: string,
  options: object,
  known: Readonly<Record<string, true>>,
  foreign: Readonly<Record<string, string>> = {},
): void {
  if (typeof options !== 'object' || options === null)
    throw new ConfigurationError(
      `${owner} needs an object with options, not ${options === null ? 'null' : typeof options}`,
    );
  const [problem] = unknownOptions(owner, options, known, foreign);
  if (problem !== undefined) throw new ConfigurationError(problem);
}

/** One sentence for each option that is set and does not exist, with the nearest known option. */
export function unknownOptions(
  owner: string,
  options: object,
  known: Readonly<Record<string, true>>,
  foreign: Readonly<Record<string, string>> = {},
): readonly string[] {
  const names = Object.keys(known);
  return Object.entries(options)
    .filter(([name, value]) => value !== undefined && !Object.hasOwn(known, name))
    .map(([name]) => `${owner} has no option "${name}"${adviceFor(name, names, foreign)}`);
}

function adviceFor(name: string, known: readonly string[], foreign: Readonly<Record<string, string>>): string {
  if (Object.hasOwn(foreign, name)) return `; it is called "${foreign[name]}"`;
  const nearest = nearestName(name, known);
  return nearest === undefined ? `. Its options are ${known.toSorted().join(', ')}` : `. Did you mean "${nearest}"?`;
}

/** The known name with the fewest typing mistakes, at most one for every two letters. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  const [nearest] = known
    .map((candidate) => ({ candidate, mistakes: mistakesBetween(name.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ candidate, mistakes }) => mistakes <= Math.max(name.length, candidate.length) / 2)
    .toSorted((one, other) => one.mistakes - other.mistakes);
  return nearest?.candidate;
}

/** The number of letters to insert, delete or replace (Levenshtein distance). */
function mistakesBetween(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [index, letter] of [...from].entries()) {
    const next = [index + 1];
    for (let column = 0; column < to.length; column += 1) {
      const replaced = (row[column] ?? 0) + (letter === to[column] ? 0 : 1);
      next.push(Math.min(replaced, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
