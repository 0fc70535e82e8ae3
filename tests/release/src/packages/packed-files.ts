import type { PackedPackage } from './pack-packages.ts';
import { listFiles } from './tarball-faults.ts';

/**
 * The files of a tarball, for the list in `files/`. One line per module: `dist/agent/agent.{d.ts,js}`. Hashes in names are left out,
 * because they change with the content.
 */
export async function packedFiles({ contents }: PackedPackage): Promise<readonly string[]> {
  const endings = new Map<string, string[]>();
  for (const file of await listFiles(contents)) {
    const [, stem = file, ending = ''] =
      /^(.*?[^/.][^/]*?)((?:\.d)?\.[a-z][a-z\d]*(?:\.(?:map|br|gz))?)$/.exec(file) ?? [];
    const name = withoutHash(stem);
    endings.set(name, [...(endings.get(name) ?? []), ending.slice(1)]);
  }
  return [...endings].map(([name, all]) => {
    const distinct = [...new Set(all)].toSorted();
    const [only = ''] = distinct;
    if (distinct.length > 1) return `${name}.{${distinct.join(',')}}`;
    return only === '' ? name : `${name}.${only}`;
  });
}

/** Bundlers name what they write by its content, and the page's parts by what they share. */
function withoutHash(stem: string): string {
  if (stem.startsWith('dist/app/assets/')) return 'dist/app/assets/*';
  return stem.startsWith('dist/chunks/') ? stem.replace(/-\w{8}$/, '-*') : stem;
}
