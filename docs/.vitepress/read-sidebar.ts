import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DefaultTheme } from 'vitepress';

/** The tables of the page that lists the guides: a group for each heading, and an item for the first link of each row. */
export function readSidebar(): DefaultTheme.SidebarItem[] {
  const groups: (DefaultTheme.SidebarItem & { items: DefaultTheme.SidebarItem[] })[] = [];
  for (const line of readFileSync(join(import.meta.dirname, '../README.md'), 'utf8').split('\n')) {
    const heading = /^## (.+)$/.exec(line)?.[1];
    if (heading !== undefined) groups.push({ text: heading, items: [] });
    const [, text, path] = /^\| \[([^\]]+)\]\(([^)]+)\.md\)/.exec(line) ?? [];
    if (text === undefined || path === undefined || path.startsWith('..')) continue;
    groups.at(-1)?.items.push({ text, link: `/${path.replace(/README$/, '')}` });
  }
  return groups;
}
