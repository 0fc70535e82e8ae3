import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '@halyard/test-docs/documents';
import { expect, it } from 'vitest';
import { readYaml } from './manifests.ts';

const folder = join(root, 'examples/deploy');
const compose = readYaml('compose.yml') as {
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
};

it('creates secrets once, one file for each, readable by containers and hidden from other users', () => {
  const copy = mkdtempSync(join(tmpdir(), 'halyard-compose-'));
  try {
    cpSync(join(folder, 'create-secrets.sh'), join(copy, 'create-secrets.sh'));
    const create = (): string[] => {
      execFileSync('sh', [join(copy, 'create-secrets.sh')]);
      const names = readdirSync(join(copy, 'secrets')).toSorted();
      return names.map((name) => `${name} ${readFileSync(join(copy, 'secrets', name), 'utf8')}`);
    };
    const created = create();
    expect(created.map((line) => line.split(' ')[0])).toEqual(Object.keys(compose.secrets).toSorted());
    expect(create()).toEqual(created);
    expect(statSync(join(copy, 'secrets')).mode & 0o777).toBe(0o700);
    expect(statSync(join(copy, 'secrets/jwt-secret')).mode & 0o777).toBe(0o644);
    for (const { file } of Object.values(compose.secrets)) expect(existsSync(join(copy, file))).toBe(true);
  } finally {
    rmSync(copy, { recursive: true });
  }
});
