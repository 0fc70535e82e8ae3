import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/**
 * Copies the workspace, as it is now, to a temporary folder. The links between the packages lead
 * into the copy, so that a package's tests use the changed code of another package. The installed
 * packages are shared.
 */
export function copyWorkspace(root: string): string {
  const copy = mkdtempSync(join(tmpdir(), 'halyard-mutation-'));
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root });
  for (const file of listed.toString().split('\0'))
    if (file !== '' && existsSync(join(root, file))) cpSync(join(root, file), join(copy, file));
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  for (const folder of ['packages', 'tests', 'tools', 'examples'])
    for (const name of readdirSync(join(root, folder))) {
      const links = join(root, folder, name, 'node_modules');
      if (existsSync(links) && existsSync(dirname(join(copy, folder, name, 'package.json'))))
        cpSync(links, join(copy, folder, name, 'node_modules'), { recursive: true, verbatimSymlinks: true });
    }
  return copy;
}
