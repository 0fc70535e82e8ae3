/**
 * Runs the attacks and prints their table. Exits with 1 if an attack has found something, or has
 * missed a planted bug.
 */
import { setup as endChildren } from '../../../../.ci/end-children.ts';
import { attacks } from './attacks.ts';
import { attackOptions } from './harness/attack-options.ts';
import { checkPlant } from './harness/check-plant.ts';
import { type Row, resultTable } from './harness/result-table.ts';
import { runAttack } from './harness/run-attack.ts';

endChildren();
const options = attackOptions();
const unknown = options.only.filter((name) => !attacks.some((attack) => attack.name === name));
if (unknown.length > 0) throw new Error(`no such attack: ${unknown.join(', ')}; see --list`);
checkPlant(options.plant, attacks);

const chosen = attacks.filter(({ name }) => options.only.length === 0 || options.only.includes(name));
if (options.listsOnly) list();
else await attackAll();

function list(): void {
  for (const { name, needsOwnTarget, summary } of chosen) {
    console.log(`${name.padEnd(20)} ${summary}`);
    console.log(
      `${''.padEnd(20)} ${needsOwnTarget === undefined ? 'also with --url' : `own target only: ${needsOwnTarget}`}`,
    );
  }
}

async function attackAll(): Promise<void> {
  const began = performance.now();
  const rows: Row[] = [];
  console.log(`seed ${options.seed}`);
  for (const attack of chosen) {
    if (options.server !== undefined && attack.needsOwnTarget !== undefined)
      console.log(`${attack.name} is skipped: ${attack.needsOwnTarget}`);
    else rows.push(await runAttack(attack, options));
  }
  const seconds = Math.round((performance.now() - began) / 1_000);
  console.log(`\n${resultTable(rows)}\n\nseed ${options.seed}, ${seconds} s`);
  process.exitCode = rows.every(({ isMet }) => isMet !== false) ? 0 : 1;
}
