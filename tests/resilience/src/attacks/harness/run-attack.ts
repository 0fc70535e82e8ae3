import { SeededRandom } from '../../faults/harness/seeded-random.ts';
import type { PlantName } from '../target/plants.ts';
import type { AttackOptions } from './attack-options.ts';
import type { Attack, AttackOutcome, Size } from './attack.ts';
import type { Row } from './result-table.ts';
import { openTarget, runningTarget, type Target } from './target.ts';

const shownFindings = 20;

/**
 * Runs an attack, and then again with each of its planted bugs. Prints one line of figures for each
 * run, and the findings.
 */
export async function runAttack(attack: Attack, options: AttackOptions): Promise<Row> {
  const { isLong, plant, plantsBugs } = options;
  const size = isLong ? 'long' : 'short';
  const { count, findings, measured, missing, target } = await timed(
    attack,
    options,
    plant as PlantName | undefined,
    size,
  );
  if (missing !== undefined)
    return {
      attack: attack.name,
      count,
      found: `not available here: ${missing}`,
      target: target ?? '',
      isMet: undefined,
    };
  for (const finding of findings.slice(0, shownFindings)) console.log(`  ${finding}`);
  if (findings.length > shownFindings) console.log(`  and ${findings.length - shownFindings} more`);

  const missed: string[] = [];
  for (const [bug, expected] of plantsBugs ? (Object.entries(attack.plants) as [PlantName, RegExp][]) : []) {
    const planted = await timed(attack, options, bug, 'planted');
    const found = planted.findings.find((finding) => expected.test(finding));
    console.log(
      `  the planted bug ${bug} ${found === undefined ? 'was NOT found' : `was found: ${found.slice(0, 200)}`}`,
    );
    if (found === undefined) missed.push(bug);
  }
  const found = measured ?? `${findings.length} findings`;
  return {
    attack: attack.name,
    count,
    found: missed.length > 0 ? `${found}; missed the planted ${missed.join(', ')}` : found,
    target: target ?? '0 findings',
    isMet: findings.length === 0 && missed.length === 0,
  };
}

async function timed(
  attack: Attack,
  { boundMs, minutes, rate, seed, server }: AttackOptions,
  plant: PlantName | undefined,
  size: Size,
): Promise<AttackOutcome> {
  const began = performance.now();
  const targets: Target[] = [];
  const open = async (settings = {}): Promise<Target> => {
    const target = server === undefined ? await openTarget({ ...settings, plant }) : runningTarget(server);
    targets.push(target);
    return target;
  };
  let outcome: AttackOutcome;
  try {
    const random = new SeededRandom(seed);
    const run = {
      seed,
      random,
      size,
      plant,
      boundMs,
      server,
      open,
      bySize: <Value>(values: Readonly<Record<Size, Value>>) => values[size],
    };
    // A planted bug is found in the smallest run.
    outcome = await attack.run({
      ...run,
      ...(size === 'planted' ? { minutes: undefined, rate: undefined } : { minutes, rate }),
    });
  } finally {
    await Promise.all(targets.map((target) => target.close()));
  }
  const deaths = targets.flatMap(({ death }) => death ?? []);
  const findings = [...outcome.findings, ...deaths];
  const what = plant === undefined ? {} : { plant };
  const seconds = Math.round((performance.now() - began) / 100) / 10;
  const { count, measured } = outcome;
  const figures = { attack: attack.name, seed, ...what, count, measured, findings: findings.length, seconds };
  console.log(JSON.stringify(figures));
  return { ...outcome, findings };
}
