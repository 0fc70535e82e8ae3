import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setup as endChildren } from '../../../../.ci/end-children.ts';
import { checkApiReport, reported } from './api-report.ts';
import { installTarballs, useTarballs } from './consumer.ts';
import { copyTemplate } from './copy-template.ts';
import { createApps } from './create-apps.ts';
import { packPackages } from './pack-packages.ts';
import { npm } from './package-manager.ts';
import { openRegistry } from './registry.ts';
import { createReport } from './report.ts';
import { run } from './run.ts';
import { installRuntimes } from './runtimes.ts';
import { tarballFaults } from './tarball-faults.ts';
import { walkDocuments } from './walk-documents.ts';
import { walkGettingStarted } from './walk-getting-started.ts';

endChildren();
const here = resolve(import.meta.dirname, '../..');
const outside = await mkdtemp(join(tmpdir(), 'halyard-packages-'));
const { end, step } = createReport();

try {
  const packages = await packPackages(resolve(here, '../../packages'), outside);
  for (const pack of packages) {
    await step(`${pack.name}: contents`, async () => {
      const faults = await tarballFaults(pack);
      if (faults.length > 0) throw new Error(faults.join('\n'));
    });
    await step(`${pack.name}: publint`, () => run('publint', ['run', pack.tarball, '--strict'], here));
    await step(`${pack.name}: attw`, () => run('attw', [pack.tarball, '--profile', 'esm-only', '--no-emoji'], here));
  }
  for (const name of reported) {
    await step(`${name}: public types`, async () => {
      if (!checkApiReport(name, { isUpdate: false }))
        throw new Error(
          `They differ from tests/release/api/${name}.api.md: \`pnpm --filter @halyard/test-release api\` updates it`,
        );
    });
  }
  const consumer = join(outside, 'consumer');
  const installed = await step('npm install of the tarballs', () => installTarballs(consumer, here, packages));
  if (installed) {
    for (const [name, use] of useTarballs(consumer, packages)) await step(name, use);
    const runtimes = await installRuntimes(join(outside, 'runtimes'));
    for (const [name, command] of [['Node', [process.execPath]] as const, ...runtimes])
      await step(`the client on ${name}`, () =>
        run(process.execPath, ['serve-calls.mjs', ...command, 'call-server.mjs'], consumer),
      );
  }
  await using registry = await openRegistry(packages);
  const node = process.env['CONSUMER_NODE'] ?? process.execPath;
  await createApps({ node, folder: join(outside, 'created'), packages, registry, step });
  await step('docs/getting-started.md', () =>
    walkGettingStarted({ node, folder: join(outside, 'getting-started'), packages, registry }),
  );
  const place = { node, registry, packageManager: npm };
  await walkDocuments({ ...place, folder: join(outside, 'app'), step });
  await step('a copy of examples/adapter-template', () => copyTemplate({ ...place, folder: join(outside, 'adapter') }));
} finally {
  await rm(outside, { recursive: true, force: true });
}
end('The packages are ready to publish.');
