import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { explained } from './explained.ts';
import type { Group, Part } from './groups.ts';

export interface Score {
  readonly name: string;
  readonly noticed: number;
  /** Survivors that have no effect: `explained.ts` says why. */
  readonly explained: number;
  readonly unnoticed: number;
  readonly percent: number;
  readonly targetPercent: number;
}

interface Report {
  readonly files: Readonly<Record<string, { readonly source: string; readonly mutants: readonly Mutant[] }>>;
}

interface Mutant {
  readonly status: string;
  readonly mutatorName: string;
  readonly location: { readonly start: { readonly line: number } };
}

/**
 * Where the results of a part are stored. Stryker reads them in the next run and repeats only what
 * has changed since.
 */
export function resultFile(group: Group, part: Part): string {
  return fileURLToPath(new URL(`../.results/${group.name}-${part.name}.json`, import.meta.url));
}

/**
 * The share of the changes that a test noticed, by failing or by not ending. Changes that no test
 * reaches count as unnoticed; those without an effect do not count.
 */
export function scoreOf(group: Group): Score {
  const found = group.parts.map((part) => outcomesOf(resultFile(group, part)));
  return toScore(group.name, group.targetPercent, found.flat());
}

export function scoreTable(groups: readonly Group[]): string {
  const rows = groups.flatMap((group) => [
    ...group.parts.map((part) => {
      const outcomes = outcomesOf(resultFile(group, part));
      return toScore(`${group.name} ${part.name}`, group.targetPercent, outcomes);
    }),
    { ...scoreOf(group), name: `**${group.name}**` },
  ]);
  const lines = rows
    .filter(({ noticed, unnoticed }) => noticed + unnoticed > 0)
    .map(({ explained: count, name, noticed, percent, unnoticed }) => {
      const cells = [name, noticed + unnoticed + count, noticed, count, `${percent.toFixed(1)} %`];
      return `| ${cells.join(' | ')} |`;
    });
  return ['| part | changes | noticed | explained | score |', '| --- | --: | --: | --: | --: |', ...lines].join('\n');
}

type Outcome = 'noticed' | 'explained' | 'unnoticed';

function toScore(name: string, targetPercent: number, outcomes: readonly Outcome[]): Score {
  const count = (outcome: Outcome): number => outcomes.filter((one) => one === outcome).length;
  const [noticed, unnoticed] = [count('noticed'), count('unnoticed')];
  const percent = (100 * noticed) / (noticed + unnoticed);
  return { name, noticed, explained: count('explained'), unnoticed, percent, targetPercent };
}

function outcomesOf(file: string): readonly Outcome[] {
  if (!existsSync(file)) return [];
  const { files } = JSON.parse(readFileSync(file, 'utf8')) as Report;
  return Object.entries(files).flatMap(([name, { mutants, source }]) => {
    const lines = source.split('\n');
    return mutants.flatMap(({ location, mutatorName, status }): readonly Outcome[] => {
      if (['Killed', 'Timeout'].includes(status)) return ['noticed'];
      if (!['Survived', 'NoCoverage'].includes(status)) return [];
      const line = lines[location.start.line - 1] ?? '';
      return [isExplained(name, line, mutatorName) ? 'explained' : 'unnoticed'];
    });
  });
}

function isExplained(file: string, line: string, mutator: string): boolean {
  return explained.some((one) => file.endsWith(one.file) && line.includes(one.line) && one.mutators.includes(mutator));
}
