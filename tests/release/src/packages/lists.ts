import { join } from 'node:path';
import { type CommittedListOptions, compareWithCommitted } from './committed-list.ts';
import { listLicences, refusedLicences } from './licences.ts';
import type { PackedPackage } from './pack-packages.ts';
import { packedFiles } from './packed-files.ts';

/** Compares the files of a tarball with the list of them in `files/`. */
export async function checkFiles(here: string, pack: PackedPackage, options: CommittedListOptions): Promise<void> {
  const name = pack.name.replace('@halyard/', '');
  await compareWithCommitted(join(here, 'files', `${name}.txt`), await packedFiles(pack), options);
}

/** Compares the licences of what the packages depend on with the list of them, and refuses unknown ones. */
export async function checkLicences(here: string, options: CommittedListOptions): Promise<void> {
  const lines = await listLicences(join(here, '../..'));
  const refused = refusedLicences(lines);
  if (refused.length > 0) throw new Error(`Licences that src/licences.ts does not allow:\n${refused.join('\n')}`);
  await compareWithCommitted(join(here, 'licences.txt'), lines, options);
}
