import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setup as endChildren } from '../../../../.ci/end-children.ts';
import { buildTwice, differentPackages } from './build-twice.ts';
import { copyTemplate } from './copy-template.ts';
import { checkInstallations } from './install-matrix.ts';
import { checkLicences } from './licences.ts';
import { pnpm } from './package-manager.ts';
import { openRegistry } from './registry.ts';
import { createReport } from './report.ts';
import { bytesOf, expectAtMost, readBudgets } from './sizes.ts';
import { walkDocuments } from './walk-documents.ts';

/**
 * The checks of a release besides `check`: the same bytes from two builds, known licences, sizes,
 * installations, and the documents with pnpm.
 */
endChildren();
const here = resolve(import.meta.dirname, '../..');
const outside = await mkdtemp(join(tmpdir(), 'halyard-release-'));
const report = createReport();

try {
  const budgets = await readBudgets(join(here, 'budgets.json'));
  const [packages, again] = await buildTwice(resolve(here, '../..'), join(outside, 'builds'));
  await report.step('two builds are the same', async () => {
    const different = await differentPackages(packages, again);
    if (different.length > 0) throw new Error(`Their tarballs differ: ${different.join(', ')}`);
  });
  await report.step('licences', () => checkLicences(resolve(here, '../..')));
  for (const pack of packages) {
    await report.step(`${pack.name}: size`, async () =>
      expectAtMost(`${pack.name} in KB`, (await bytesOf(pack.contents)) / 1000, budgets.packages[pack.name]),
    );
  }
  await using registry = await openRegistry(packages);
  await checkInstallations({ here, folder: join(outside, 'installed'), registry, budgets, report });
  // `check` does this with npm, and installs the apps of two templates with pnpm.
  const place = { node: process.execPath, registry, packageManager: pnpm };
  await walkDocuments({ ...place, folder: join(outside, 'app'), step: report.step });
  await report.step('a copy of examples/adapter-template, with pnpm', () =>
    copyTemplate({ ...place, folder: join(outside, 'adapter') }),
  );
} finally {
  await rm(outside, { recursive: true, force: true });
}
report.end('The release is ready to publish.');
