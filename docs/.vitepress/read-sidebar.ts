import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DefaultTheme } from 'vitepress';

/**
 * The tables of the page that lists the guides: a group for each heading, and an item for the first
 * link of each row.
 */
export function readSidebar(): DefaultTheme.SidebarItem[] {
  const groups: (DefaultTheme.SidebarItem & { items: DefaultTheme.SidebarItem[] })[] = [];
  for (const line of readFileSync(join(import.meta.dirname, '../README.md'), 'utf8').split('\n')) {
    const heading = /^## (.+)$/.exec(line)?.[1];
    if (heading !== undefined) groups.push({ text: heading, items: [] });
    const [, text, path] = /^\| \[([^\]]+)\]\(([^)]+)\.md\)/.exec(line) ?? [];
    if (text === undefined || path === undefined || path.startsWith('..')) continue;
    const link = `/${path.replace(/README$/, '')}`;
    const items = subpages(path);
    groups.at(-1)?.items.push({ text, link, ...(items.length > 0 && { items, collapsed: true }) });
  }
  return groups;
}

/** The packages of the generated API reference. */
export function readApiSidebar(): DefaultTheme.SidebarItem {
  const index = readFileSync(join(import.meta.dirname, '../api/index.md'), 'utf8');
  const packages = index.matchAll(/^\| \[(.+?)\]\((.+?)index\.md\)/gm);
  return {
    text: 'API reference',
    items: [
      { text: 'All packages', link: '/api/' },
      ...Array.from(packages, ([, text = '', path = '']) => ({ text, link: `/api/${path}` })),
    ],
  };
}

/** The pages that the headings, tables or lists of an index link to. */
function subpages(path: string): DefaultTheme.SidebarItem[] {
  if (!path.endsWith('/README')) return [];
  const text = readFileSync(join(import.meta.dirname, `../${path}.md`), 'utf8');
  const links = text.matchAll(/^(?:## |\| |- )\[([^\]]+)\]\(([\w-]+)\.md\)/gm);
  return Array.from(links, ([, title = '', file = '']) => ({ text: title, link: `/${path.replace(/README$/, file)}` }));
}
