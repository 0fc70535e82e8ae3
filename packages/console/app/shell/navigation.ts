import type { IconName } from '../ui/icons.tsx';

interface NavigationPage {
  readonly name: string;
  readonly to: string;
  readonly icon: IconName;
  /**
   * `console`: it shows how the server works, for all users, and needs the key or a console role
   * without limits. `owner`: it needs the key or an owner's role.
   */
  readonly needs?: 'console' | 'owner';
}

/** What the credential of the person opens. */
export interface Opened {
  readonly isRestricted: boolean;
  readonly isOwner: boolean;
}

/** The pages of the console, in the order of the menu. */
export const navigation: readonly { readonly title: string; readonly pages: readonly NavigationPage[] }[] = [
  {
    title: 'Now',
    pages: [
      { name: 'Overview', to: '/', icon: 'overview', needs: 'console' },
      { name: 'Approvals', to: '/approvals', icon: 'approvals' },
    ],
  },
  {
    title: 'App',
    pages: [
      { name: 'Playground', to: '/playground', icon: 'play' },
      { name: 'Agents', to: '/agents', icon: 'agents' },
      { name: 'Workflows', to: '/workflows', icon: 'workflows' },
      { name: 'Tools', to: '/tools', icon: 'tools' },
    ],
  },
  {
    title: 'Activity',
    pages: [
      { name: 'Executions', to: '/executions', icon: 'executions' },
      { name: 'Traces', to: '/traces', icon: 'traces', needs: 'console' },
      { name: 'Failures', to: '/failures', icon: 'close', needs: 'console' },
      { name: 'Conversations', to: '/conversations', icon: 'conversations' },
      { name: 'Logs', to: '/logs', icon: 'logs', needs: 'console' },
      { name: 'Webhooks', to: '/webhooks', icon: 'webhooks', needs: 'console' },
    ],
  },
  {
    title: 'Server',
    pages: [
      { name: 'Audit', to: '/audit', icon: 'audit', needs: 'owner' },
      { name: 'System', to: '/system', icon: 'system', needs: 'console' },
    ],
  },
];

/** The menu of a person. */
export function navigationFor(opened: Opened): typeof navigation {
  return navigation
    .map(({ pages, title }) => ({ title, pages: pages.filter((page) => isOpen(page, opened)) }))
    .filter(({ pages }) => pages.length > 0);
}

function isOpen({ needs }: NavigationPage, { isOwner, isRestricted }: Opened): boolean {
  if (needs === undefined) return true;
  return needs === 'owner' ? isOwner : !isRestricted;
}

/** The page with this path, or the list that it belongs to, if the person may not open it. */
export function closedPageAt(pathname: string, opened: Opened): NavigationPage | undefined {
  return navigation
    .flatMap(({ pages }) => pages)
    .find((page) => {
      const { to } = page;
      return !isOpen(page, opened) && (pathname === to || (to !== '/' && pathname.startsWith(`${to}/`)));
    });
}
