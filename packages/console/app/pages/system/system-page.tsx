import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { api, readData } from '../../api/client.ts';
import { ErrorState, Loading } from '../../ui/notice.tsx';
import { Page } from '../../ui/page.tsx';
import { type Tab, Tabs } from '../../ui/tabs.tsx';
import { LimitList } from './limit-list.tsx';
import { McpServerList } from './mcp-server-list.tsx';
import { ReplicaList } from './replica-list.tsx';
import { ScheduleList } from './schedule-list.tsx';
import { ServerSummary } from './server-summary.tsx';
import { StorageTables } from './storage-tables.tsx';
import { UpdateList } from './update-list.tsx';

const route = getRouteApi('/system');

type TabName = 'server' | 'replicas' | 'storage' | 'schedules' | 'mcp' | 'limits' | 'updates';

/**
 * The parts of the server, their settings and risks. They are read again every few seconds while
 * the page is visible.
 */
export function SystemPage(): ReactNode {
  const { tab } = route.useSearch();
  const navigate = route.useNavigate();
  const { data, error, refetch } = useQuery({
    queryKey: ['system'],
    queryFn: ({ signal }) => readData(api.GET('/observability/system', { signal })),
    refetchInterval: 5_000,
  });
  if (error !== null) {
    return (
      <Page title="System">
        <ErrorState error={error} onRetry={() => void refetch()} />
      </Page>
    );
  }
  if (data === undefined) {
    return (
      <Page title="System">
        <Loading what="the state of the server" />
      </Page>
    );
  }
  const tabs: readonly Tab<TabName>[] = [
    { name: 'server', title: 'Server', content: <ServerSummary report={data} /> },
    {
      name: 'replicas',
      title: data.replicas === null ? 'Replicas' : `Replicas ${data.replicas.length}`,
      content: <ReplicaList replicas={data.replicas} />,
    },
    { name: 'storage', title: 'Storage', content: <StorageTables size={data.storage.size} /> },
    { name: 'schedules', title: 'Schedules', content: <ScheduleList schedules={data.schedules} /> },
    { name: 'mcp', title: 'MCP servers', content: <McpServerList /> },
    { name: 'limits', title: 'Limits', content: <LimitList limits={data.limits} /> },
    { name: 'updates', title: 'Updates', content: <UpdateList /> },
  ];
  const current = tabs.find(({ name }) => name === tab)?.name ?? 'server';
  return (
    <Page title="System">
      <Tabs
        label="Parts of the server"
        tabs={tabs}
        value={current}
        onChange={(next) => void navigate({ search: { tab: next }, replace: true })}
      />
    </Page>
  );
}
