import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { checkFiles, checkLicences } from './lists.ts';
import { packPackages } from './pack-packages.ts';

/** Writes the lists of the packed files and of the licences. The packages must be built. */
const here = resolve(import.meta.dirname, '../..');
const outside = await mkdtemp(join(tmpdir(), 'halyard-lists-'));
try {
  await mkdir(join(here, 'files'), { recursive: true });
  for (const pack of await packPackages(resolve(here, '../../packages'), outside))
    await checkFiles(here, pack, { isUpdate: true });
  await checkLicences(here, { isUpdate: true });
} finally {
  await rm(outside, { recursive: true, force: true });
}
