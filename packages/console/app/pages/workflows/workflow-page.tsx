import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useIsUser } from '../../access/credential.ts';
import type { components } from '../../api/schema.ts';
import { useLiveQueries } from '../../live/use-live-queries.ts';
import { Facts } from '../../ui/facts.tsx';
import { formatDuration } from '../../ui/format.ts';
import { ErrorState, Loading } from '../../ui/notice.tsx';
import { Page } from '../../ui/page.tsx';
import { type Tab, Tabs } from '../../ui/tabs.tsx';
import { readExecution } from '../executions/read-execution.ts';
import { StepDetails, WorkflowDefinition } from './workflow-definition.tsx';
import { Beside, WorkflowFrame } from './workflow-frame.tsx';
import { findStep } from './workflow-graph.ts';
import { WorkflowSchemas } from './workflow-schemas.tsx';
import { WorkflowStart } from './workflow-start.tsx';
import { workflowQuery } from './workflows-query.ts';
import styles from './workflow.module.css';

type WorkflowDetail = components['schemas']['WorkflowDetail'];

const route = getRouteApi('/workflows/$workflowId');
const tabNames = ['definition', 'schemas'] as const;
type TabName = (typeof tabNames)[number];

/** One workflow: its runs, its steps as a graph, and a form to start it. */
export function WorkflowPage(): ReactNode {
  const { workflowId } = route.useParams();
  const { like, step, tab } = route.useSearch();
  const isUser = useIsUser();
  const navigate = route.useNavigate();
  useLiveQueries(['workflows', workflowId]);
  const { data, error, refetch } = useQuery(workflowQuery(workflowId));
  const { data: source } = useQuery({
    queryKey: ['executions', 'one', like],
    queryFn: ({ signal }) => readExecution({ id: workflowId, executionId: like ?? '' }, signal),
    enabled: like !== undefined,
  });
  const [version, setVersion] = useState<string>();
  const steps = version === undefined ? data?.steps : data?.versions?.[Number(version)]?.steps;
  const selected = step === undefined ? undefined : findStep(steps ?? [], step);
  // A user's token does not open the definition.
  const shown = tabNames.filter((name) => name !== 'definition' || !isUser);
  const change = (changed: { tab?: string; step?: string | undefined }): void => {
    void navigate({ search: (current) => ({ ...current, ...changed }), replace: true });
  };
  return (
    <Page title={data?.name ?? workflowId} about={<code>{workflowId}</code>} isFilled>
      {error !== null ? (
        <ErrorState error={error} onRetry={() => void refetch()} back={<Link to="/workflows">All workflows</Link>} />
      ) : data === undefined ? (
        <Loading what="the workflow" />
      ) : (
        <WorkflowFrame workflowId={workflowId}>
          {data.purpose !== '' && <p className={styles.purpose}>{data.purpose}</p>}
          <Limits workflow={data} />
          <Beside
            beside={
              <>
                {selected !== undefined && <StepDetails step={selected} onClose={() => change({ step: undefined })} />}
                {/* No request starts what only the app runs. */}
                {data.access !== 'server' && (
                  <WorkflowStart
                    key={source?.executionId}
                    workflow={data}
                    source={source}
                    isAsked={tab === 'start' || like !== undefined}
                  />
                )}
              </>
            }
          >
            <Tabs<TabName>
              label="Parts of the workflow"
              value={shown.find((name) => name === tab) ?? shown[0] ?? 'schemas'}
              onChange={(name) => change({ tab: name })}
              tabs={(
                [
                  {
                    name: 'definition',
                    title: 'Steps',
                    content: (
                      <WorkflowDefinition
                        workflow={data}
                        steps={steps ?? []}
                        version={version}
                        onVersion={setVersion}
                        selectedId={step}
                        onSelect={(id) => change({ step: id })}
                      />
                    ),
                  },
                  { name: 'schemas', title: 'Schemas', content: <WorkflowSchemas workflow={data} /> },
                ] satisfies readonly Tab<TabName>[]
              ).filter(({ name }) => shown.includes(name))}
            />
          </Beside>
        </WorkflowFrame>
      )}
    </Page>
  );
}

function Limits({ workflow }: { readonly workflow: WorkflowDetail }): ReactNode {
  const { access, concurrency, debounce, priority, singleton, throttle, versions } = workflow;
  const perKey = ({ isPerKey }: { readonly isPerKey: boolean }): string => (isPerKey ? ' per key' : '');
  const facts = {
    'Started by': access && { operators: 'operators only', server: 'the app only' }[access],
    Priority: priority,
    'At the same time': concurrency && `${concurrency.limit}${perKey(concurrency)}`,
    Throttle: throttle && `${throttle.limit} in ${formatDuration(throttle.periodMs)}${perKey(throttle)}`,
    Singleton:
      singleton && `${singleton.onBusy === 'skip' ? 'refuses others' : 'cancels the running one'}${perKey(singleton)}`,
    Debounce: debounce && `${formatDuration(debounce.delayMs)}${perKey(debounce)}`,
    'Earlier versions': versions?.length,
  };
  if (Object.values(facts).every((fact) => fact === undefined)) return null;
  return <Facts facts={facts} />;
}
