import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import dockerignore from '@balena/dockerignore';
import { root } from '@halyard/test-docs/documents';
import { dockerfilePath } from './dockerfile.ts';

/** Whether Docker would leave a path, relative to the root of the repository, out of the build. */
export function dockerIgnores(): (path: string) => boolean {
  const filter = dockerignore.default().add(readFileSync(join(root, `${dockerfilePath}.dockerignore`), 'utf8'));
  return (path) => filter.ignores(path);
}

/**
 * The files of the repository that Docker sends to the builder: as in a clone, with changes that
 * are not committed.
 */
export function buildContext(): readonly string[] {
  const isIgnored = dockerIgnores();
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  return listed.split('\0').filter((path) => path !== '' && !isIgnored(path) && existsSync(join(root, path)));
}
