import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { api, readData } from '../../api/client.ts';
import { Button } from '../../ui/button.tsx';
import { PeriodSelect } from '../../ui/filters.tsx';
import { ErrorState, Loading } from '../../ui/notice.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { BreakdownTable } from './breakdown-table.tsx';
import { Charts } from './charts.tsx';
import { Figures } from './figures.tsx';
import { FirstRun } from './first-run.tsx';
import { Now } from './now.tsx';
import { type Breakdown, breakdowns, useMetrics } from './use-overview.ts';

const route = getRouteApi('/');
const names: Record<Breakdown, string> = { agent: 'Agents', workflow: 'Workflows', model: 'Models', user: 'Users' };

/** The past, current and waiting work of the server. */
export function OverviewPage(): ReactNode {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const by = breakdowns.find((each) => each === search.by) ?? 'agent';
  const isTable = search.show === 'values';
  const { data: metrics, error, refetch } = useMetrics(search, by);
  const isQuiet = metrics !== undefined && metrics.totals.requests === 0;
  const { data: status } = useQuery({
    queryKey: ['overview', 'metrics', 'status'],
    queryFn: ({ signal }) => readData(api.GET('/observability/status', { signal })),
    enabled: isQuiet,
  });
  const isNew = isQuiet && status !== undefined && status.traceCount === 0;
  const change = (changed: Partial<typeof search>): void => {
    void navigate({ search: { ...search, ...changed }, replace: true });
  };
  return (
    <Page
      title="Overview"
      {...(!isNew && {
        actions: <PeriodSelect value={search} onChange={change} />,
      })}
    >
      {metrics === undefined ? (
        error === null ? (
          <Loading what="the numbers" />
        ) : (
          <ErrorState error={error} onRetry={() => void refetch()} />
        )
      ) : isNew ? (
        <FirstRun isRecording={status.enabled} />
      ) : (
        <>
          <Figures metrics={metrics} />
          <Now period={search} />
          <Section
            title="Over time"
            actions={
              <Button
                look="quiet"
                aria-pressed={isTable}
                onClick={() => change({ show: isTable ? undefined : 'values' })}
              >
                {isTable ? 'Show charts' : 'Show values'}
              </Button>
            }
          >
            <Charts
              metrics={metrics}
              isTable={isTable}
              // Back shows the whole time again.
              onPeriod={(part) => void navigate({ search: { ...search, ...part } })}
            />
          </Section>
          <Section title="Breakdown">
            <Tabs
              label="Breakdown"
              value={by}
              onChange={(next) => change({ by: next })}
              tabs={breakdowns.map((name) => ({
                name,
                title: names[name],
                content: <BreakdownTable metrics={metrics} by={by} />,
              }))}
            />
          </Section>
        </>
      )}
    </Page>
  );
}
