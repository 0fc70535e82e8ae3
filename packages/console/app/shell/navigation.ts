import type { IconName } from '../ui/icons.tsx';

interface NavigationPage {
  readonly name: string;
  readonly to: string;
  readonly icon: IconName;
}

/** The pages of the console, in the order of the menu. */
export const navigation: readonly { readonly title: string; readonly pages: readonly NavigationPage[] }[] = [
  {
    title: 'Now',
    pages: [
      { name: 'Overview', to: '/', icon: 'overview' },
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
      { name: 'Traces', to: '/traces', icon: 'traces' },
      { name: 'Conversations', to: '/conversations', icon: 'conversations' },
      { name: 'Logs', to: '/logs', icon: 'logs' },
    ],
  },
  { title: 'Server', pages: [{ name: 'System', to: '/system', icon: 'system' }] },
];
