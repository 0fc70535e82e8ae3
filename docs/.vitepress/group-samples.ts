import type { UserConfig } from 'vitepress';

type Plugin = NonNullable<NonNullable<UserConfig['vite']>['plugins']>[number];

/**
 * Shows blocks that follow each other and have titles, such as "```sh [curl]", as one block with
 * tabs.
 */
export function groupSamples(): Plugin {
  return {
    name: 'group-samples',
    enforce: 'pre',
    transform: (code: string, id: string) => (id.endsWith('.md') ? { code: inGroups(code), map: null } : undefined),
  };
}

function inGroups(page: string): string {
  return page.replaceAll(/(?:^```\w+ \[[^\n]+\]\n(?:(?!```).*\n)*```\n\n?){2,}/gm, '::: code-group\n\n$&\n:::\n\n');
}
