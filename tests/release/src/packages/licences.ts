import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isRecord } from './read-json.ts';
import { run } from './run.ts';

/** Licences that permit use in any app, with a notice at most. */
const allowed = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  'MIT',
  // Fonts of the console.
  'OFL-1.1',
  // Alternatives: one of them is in this list.
  '(AFL-2.1 OR BSD-3-Clause)',
  '(MIT OR CC0-1.0)',
]);

/** Refuses licences that are not in the list above. */
export async function checkLicences(root: string): Promise<void> {
  const lines = await listLicences(root);
  const refused = lines.filter((text) => !allowed.has(text.slice(0, text.indexOf(': '))));
  if (refused.length > 0)
    throw new Error(`Licences that src/packages/licences.ts does not allow:\n${refused.join('\n')}`);
}

/**
 * The packages that the published packages depend on, directly or indirectly, or contain, by
 * licence: `MIT: ajv`.
 */
async function listLicences(root: string): Promise<readonly string[]> {
  const output = await run('pnpm', ['licenses', 'list', '--prod', '--json', '--filter', './packages/*'], root);
  const byLicence: unknown = JSON.parse(output);
  if (!isRecord(byLicence)) throw new TypeError(`pnpm licenses list: ${output}`);
  const installed = Object.entries(byLicence).flatMap(([licence, packages]) =>
    Array.isArray(packages) ? packages.map((some) => line(licence, some)) : [],
  );
  return [...new Set([...installed, ...(await ofConsole(root))])].toSorted();
}

/** The licences of the console's page, from the notices that its build writes. */
async function ofConsole(root: string): Promise<readonly string[]> {
  const notices = await readFile(join(root, 'packages/console/dist/app/licenses.md'), 'utf8');
  const lines = [...notices.matchAll(/^## (.+) - \S+ \((.+)\)$/gm)].map(([, name, licence]) => `${licence}: ${name}`);
  if (lines.length === 0) throw new Error('The console has no notices');
  return lines;
}

function line(licence: string, some: unknown): string {
  return `${licence}: ${isRecord(some) ? String(some['name']) : ''}`;
}
