import type { IconName } from '../ui/icons.tsx';

interface NavigationPage {
  readonly name: string;
  readonly to: string;
  readonly icon: IconName;
  /** It shows how the server works, for all users: a user's token does not open it. */
  readonly needsKey?: true;
}

/** The pages of the console, in the order of the menu. */
export const navigation: readonly { readonly title: string; readonly pages: readonly NavigationPage[] }[] = [
  {
    title: 'Now',
    pages: [
      { name: 'Overview', to: '/', icon: 'overview', needsKey: true },
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
      { name: 'Traces', to: '/traces', icon: 'traces', needsKey: true },
      { name: 'Failures', to: '/failures', icon: 'close', needsKey: true },
      { name: 'Conversations', to: '/conversations', icon: 'conversations' },
      { name: 'Logs', to: '/logs', icon: 'logs', needsKey: true },
      { name: 'Webhooks', to: '/webhooks', icon: 'webhooks', needsKey: true },
    ],
  },
  { title: 'Server', pages: [{ name: 'System', to: '/system', icon: 'system', needsKey: true }] },
];

/** The menu for a user, or for the console key. */
export function navigationFor(isUser: boolean): typeof navigation {
  return navigation
    .map(({ pages, title }) => ({ title, pages: pages.filter(({ needsKey }) => needsKey !== true || !isUser) }))
    .filter(({ pages }) => pages.length > 0);
}

/** The page with this path, or the list that it belongs to, if only the console key opens it. */
export function keyPageAt(pathname: string): NavigationPage | undefined {
  return navigation
    .flatMap(({ pages }) => pages)
    .find(
      ({ needsKey, to }) => needsKey === true && (pathname === to || (to !== '/' && pathname.startsWith(`${to}/`))),
    );
}
