import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { copyEmbeddedTemplate } from '../../../../packages/memory-postgres/src/testing/embedded-template.ts';
import { startPostgresServer } from '../../../../packages/memory-postgres/src/testing/postgres-server.ts';
import { checkTypes, type CreatedApp, missingDependencies, useApp } from './created-app.ts';
import type { PackedPackage } from './pack-packages.ts';
import { isRecord, readJson } from './read-json.ts';
import { run } from './run.ts';
import type { WalkOptions } from './walk-documents.ts';

interface CreateOptions extends Pick<WalkOptions, 'node' | 'folder' | 'registry' | 'step'> {
  readonly packages: readonly PackedPackage[];
}

const templates = ['chat', 'support-desk', 'workflow', 'api-only'] as const;
const storages = ['embedded', 'postgres', 'none'] as const;
const providers = ['demo', 'openai', 'anthropic', 'google'] as const;

/**
 * Creates an app with each template on each storage, and in turn with each provider, with and
 * without tokens. Checks its types, runs its tests, starts it, and sends it the request of its
 * README. Each template is once installed as users do; the other apps share one installation of all
 * dependencies, so what they import is compared with what they depend on.
 */
export async function createApps({ folder, node, packages, registry, step }: CreateOptions): Promise<void> {
  await mkdir(folder);
  const program = await installProgram(folder, packages);
  const database = await startPostgresServer();
  const env = { [registry.environment[0]]: registry.environment[1] };

  try {
    const sharing: CreatedApp[] = [];
    for (const [row, template] of templates.entries()) {
      for (const [column, storage] of storages.entries()) {
        const isInstalled = column === row % storages.length;
        const app: CreatedApp = {
          node,
          folder: join(folder, isInstalled ? 'installed' : 'shared', `${template}-${storage}`),
          template,
          hasTokens: (row + column) % 2 === 1,
          databaseUrl: storage === 'postgres' ? database.connectionString : '',
        };
        const provider = providers[(row + column) % providers.length] ?? 'demo';
        const choices = ['--template', template, '--storage', storage, '--provider', provider];
        const auth = ['--auth', app.hasTokens ? 'jwt' : 'none'];
        // In turn, because each lays packages out in its own way. Only npm reads the registry from
        // the environment.
        const packageManager = row % 2 === 0 ? 'npm' : 'pnpm';
        const install = isInstalled && packageManager === 'npm' ? [] : ['--no-install'];
        const args = [...choices, ...auth, '--package-manager', packageManager, ...install];
        const name = `create-halyard ${args.join(' ')}`;
        await step(name, async () => {
          await run(node, [program, app.folder, ...args], folder, env);
          const missing = await missingDependencies(app.folder);
          if (missing.length > 0) throw new Error(`package.json lacks ${missing.join(', ')}`);
          if (isInstalled && packageManager === 'pnpm') {
            await writeFile(join(app.folder, '.npmrc'), registry.npmrc);
            await run('pnpm', ['install'], app.folder);
          }
          if (!isInstalled) {
            // The installed apps create theirs, which takes seconds of computing.
            if (storage === 'embedded') await copyEmbeddedTemplate(join(app.folder, '.halyard'));
            sharing.push(app);
            return;
          }
          await checkTypes(app.folder);
          await useApp(app);
        });
      }
    }
    await step('npm install of what created apps depend on', () => installShared(join(folder, 'shared'), sharing, env));
    await step('the types of the apps that share it', () => checkSharedTypes(join(folder, 'shared'), sharing));
    // Two at a time: an app waits for its database most of its start.
    const check = async (app: CreatedApp): Promise<void> => {
      await step(`the app ${app.folder.slice(folder.length + 1)}`, () => useApp(app));
      const next = sharing.pop();
      if (next !== undefined) await check(next);
    };
    await Promise.all(sharing.splice(0, 2).map(check));
  } finally {
    await database.remove();
  }
}

/** Installs create-halyard. @returns the path of the program. */
export async function installProgram(folder: string, packages: readonly PackedPackage[]): Promise<string> {
  const own = packages.find(({ name }) => name === 'create-halyard');
  if (own === undefined) throw new Error('create-halyard is not packed');
  const place = join(folder, 'program');
  await mkdir(place);
  await writeFile(join(place, 'package.json'), '{ "private": true }\n');
  await run('npm', ['install', own.tarball, '--no-audit', '--no-fund', '--loglevel=error'], place);
  return join(place, 'node_modules/create-halyard/dist/cli.js');
}

async function installShared(folder: string, apps: readonly CreatedApp[], env: NodeJS.ProcessEnv): Promise<void> {
  const all: Record<string, unknown> = {};
  for (const app of apps) {
    const { dependencies, devDependencies } = await readJson(join(app.folder, 'package.json'));
    for (const some of [dependencies, devDependencies]) Object.assign(all, isRecord(some) ? some : {});
  }
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies: all }));
  await run('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error'], folder, env);
}

/** All apps as one project: each compiler would read the declarations of the packages again. */
async function checkSharedTypes(folder: string, apps: readonly CreatedApp[]): Promise<void> {
  const projects = new Set(await Promise.all(apps.map((app) => readFile(join(app.folder, 'tsconfig.json'), 'utf8'))));
  const [project = '', another] = projects;
  if (another !== undefined) throw new Error('The apps have different tsconfig.json');
  const include = apps.map((app) => `${basename(app.folder)}/src`);
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ ...(JSON.parse(project) as object), include }));
  await checkTypes(folder);
}
