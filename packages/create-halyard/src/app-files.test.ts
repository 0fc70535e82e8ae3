import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { appFiles } from './app-files.ts';
import { auths, type Choices, packageManagers, providers, storages, templates } from './choices.ts';
import { versions } from './versions.ts';

const values = <Value extends string>(options: readonly { readonly value: Value }[]): readonly Value[] =>
  options.map(({ value }) => value);

const everyChoice: readonly Choices[] = values(templates).flatMap((template) =>
  values(storages).flatMap((storage) =>
    values(auths).flatMap((auth) =>
      values(providers).map((provider, index) => ({
        name: 'shop',
        template,
        storage,
        auth,
        provider,
        packageManager: values(packageManagers)[index] ?? 'npm',
      })),
    ),
  ),
);
const [chat] = everyChoice;
if (chat === undefined) throw new Error('there are choices');

describe('the files of an app', () => {
  it.each(everyChoice)('are complete: $template, $storage, $auth, $provider', (choices) => {
    const files = appFiles(choices, '1.2.3');
    for (const [path, content] of files) {
      expect(`${path}\n${content}`).not.toMatch(/@if|@end|\{\{/);
      if (path.endsWith('.json')) expect(() => JSON.parse(content) as unknown).not.toThrow();
      if (path.endsWith('.yml') || path.endsWith('.yaml')) expect(() => parse(content) as unknown).not.toThrow();
    }
    expect([...files.keys()]).toEqual(
      expect.arrayContaining([
        '.env',
        '.env.example',
        '.github/workflows/ci.yml',
        '.gitignore',
        'AGENTS.md',
        'Dockerfile',
        'README.md',
        'package.json',
        'production.env',
        'src/main.ts',
        'src/server.test.ts',
      ]),
    );
    expect(files.has('compose.yaml')).toBe(choices.storage === 'postgres');
    expect(files.has('src/auth.ts')).toBe(choices.auth === 'jwt');
  });

  it('pin the packages of Halyard to one version', () => {
    const { dependencies } = JSON.parse(appFiles(chat, '1.2.3').get('package.json') ?? '') as {
      dependencies: Record<string, string>;
    };
    expect(dependencies).toMatchObject({ '@halyard/core': '1.2.3', '@halyard/console': '1.2.3' });
  });

  it('contain new secrets in .env, and none in .env.example', () => {
    const choices: Choices = { ...chat, auth: 'jwt' };
    const [first, second] = [appFiles(choices, '1.2.3'), appFiles(choices, '1.2.3')];
    expect(first.get('.env')).toMatch(/^JWT_SECRET=\S{64}$/m);
    expect(first.get('.env')).not.toBe(second.get('.env'));
    expect(first.get('.env.example')).toMatch(/^JWT_SECRET=$/m);
    expect(first.get('.gitignore')).toMatch(/^\.env$/m);
    expect(first.get('.dockerignore')).toMatch(/^\.env$/m);
  });

  it('install before the sources are copied, so that an image is rebuilt in seconds', () => {
    for (const [packageManager, lockFile] of [
      ['npm', 'package-lock.json'],
      ['pnpm', 'pnpm-lock.yaml'],
      ['yarn', 'yarn.lock'],
      ['bun', 'bun.lock'],
    ] as const) {
      const dockerfile = appFiles({ ...chat, packageManager }, '1.2.3').get('Dockerfile') ?? '';
      expect(dockerfile).toContain(`COPY package.json ${lockFile}`);
      expect(dockerfile.indexOf('RUN')).toBeLessThan(dockerfile.indexOf('COPY . .'));
    }
  });

  it('keep all other .env files out of git and images, except the example', () => {
    const files = appFiles(chat, '1.2.3');
    for (const path of ['.gitignore', '.dockerignore'])
      expect(files.get(path)).toMatch(/^\.env\n\.env\.\*\n!\.env\.example$/m);
  });

  it('start the app in production, on each system, and develop it in development', () => {
    const files = appFiles({ ...chat, storage: 'none' }, '1.2.3');
    const { scripts } = JSON.parse(files.get('package.json') ?? '') as { scripts: Record<string, string> };
    expect(scripts).toMatchObject({
      dev: 'node --watch --env-file-if-exists=.env src/main.ts',
      start: 'node --env-file-if-exists=.env --env-file=production.env src/main.ts',
    });
    expect(files.get('production.env')).toMatch(/^NODE_ENV=production$/m);
  });
});

it('the versions are those of the workspace', () => {
  const workspace = parse(readFileSync(new URL('../../../pnpm-workspace.yaml', import.meta.url), 'utf8')) as {
    catalog: Record<string, string>;
  };
  expect(workspace.catalog).toMatchObject(versions);
});
