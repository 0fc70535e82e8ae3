import { statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { MarkdownRenderer } from 'vitepress';

const repository = 'https://github.com/halyard-dev/halyard';
const root = join(import.meta.dirname, '../..');

/** Lets links to files outside of the documentation lead to the repository. */
export function linkRepository(markdown: MarkdownRenderer): void {
  const open = markdown.renderer.rules['link_open'];
  markdown.renderer.rules['link_open'] = (tokens, index, options, env: { readonly path: string }, self) => {
    const token = tokens[index];
    const href = token?.attrGet('href') ?? '';
    const url = repositoryUrl(href, env.path);
    if (token !== undefined && url !== undefined) token.attrSet('href', url);
    return open?.(tokens, index, options, env, self) ?? self.renderToken(tokens, index, options);
  };
}

function repositoryUrl(href: string, page: string): string | undefined {
  if (/^([a-z][a-z\d+.-]*:|#|\/)/i.test(href)) return undefined;
  const [path = '', anchor] = href.split('#');
  const target = join(dirname(page), decodeURIComponent(path));
  const fromRoot = relative(root, target);
  if (fromRoot.startsWith('docs/') || fromRoot.startsWith('..')) return undefined;
  const kind = statSync(target).isDirectory() ? 'tree' : 'blob';
  return `${repository}/${kind}/main/${fromRoot}${anchor === undefined ? '' : `#${anchor}`}`;
}
