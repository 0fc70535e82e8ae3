import { copyFileSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

const repository = 'https://github.com/halyard-dev/halyard';
const docs = join(import.meta.dirname, '..');
const root = join(docs, '..');
const largestImage = 100 * 1024;
/** Links to pages that only the site has. */
const httpReference = /\[([^\]]+)\]\((?:\.\.\/)?http\/[^)]*\)/g;

/**
 * Copies the guides, recipes and the table of errors, for coding agents without a network. Links
 * to other files of the repository, and images above 100 KB, lead to GitHub.
 */
export function copyGuides(target: string): void {
  rmSync(target, { recursive: true, force: true });
  const pages = globSync(['*.md', '{migrate,recipes,workflows}/*.md'], { cwd: docs, exclude: ['index.md'] });
  const images = globSync('images/*.{png,jpg,svg}', { cwd: docs }).filter(
    (image) => statSync(join(docs, image)).size <= largestImage,
  );
  const copied = new Set([...pages, ...images]);
  const used = new Set<string>();
  for (const page of pages) {
    const source = readFileSync(join(docs, page), 'utf8').replaceAll(httpReference, '$1');
    const text = source.replaceAll(/\]\(([^\s)#]+)/g, (link, href: string) => {
      if (/^[a-z]+:/.test(href)) return link;
      const path = join(docs, dirname(page), decodeURIComponent(href));
      const inDocs = relative(docs, path);
      if (images.includes(inDocs)) used.add(inDocs);
      // Code can look like a link: `steps[0](run)`.
      return copied.has(inDocs) || !existsSync(path) ? link : `](${onGitHub(path)}`;
    });
    write(join(target, page), text);
  }
  for (const image of used) {
    mkdirSync(dirname(join(target, image)), { recursive: true });
    copyFileSync(join(docs, image), join(target, image));
  }
}

function onGitHub(path: string): string {
  const kind = /\.(png|jpg|svg)$/.test(path) ? 'raw' : statSync(path).isDirectory() ? 'tree' : 'blob';
  return `${repository}/${kind}/main/${relative(root, path)}`;
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
