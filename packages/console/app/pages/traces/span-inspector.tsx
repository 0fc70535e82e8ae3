import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { api, readData } from '../../api/client.ts';
import { Facts } from '../../ui/facts.tsx';
import { formatClock, formatCosts, formatCount, formatDateTime, formatDuration } from '../../ui/format.ts';
import { JsonView } from '../../ui/json-view.tsx';
import { ErrorState, Loading } from '../../ui/notice.tsx';
import { StateMark } from '../../ui/state-mark.tsx';
import { type Tab, Tabs } from '../../ui/tabs.tsx';
import { AgentName } from '../agents/agent-name.tsx';
import { WorkflowName } from '../workflows/workflow-name.tsx';
import { SpanContent } from './span-content.tsx';
import { kindOf, nameOf, type Span, stateOf, totalCosts, wordFor } from './span-rows.ts';
import styles from './span-inspector.module.css';

interface SpanInspectorProps {
  readonly spanId: string;
  readonly tab: string | undefined;
  readonly onTab: (name: SpanTab) => void;
  /** The line above names the span, and says why it failed. */
  readonly isNamed?: boolean;
}

export type SpanTab = 'content' | 'attributes' | 'events' | 'logs';

/** The details of one span. They are read when the span is selected. */
export function SpanInspector({ spanId, tab, onTab, isNamed = false }: SpanInspectorProps): ReactNode {
  const {
    data: span,
    error,
    refetch,
  } = useQuery({
    queryKey: ['traces', 'span', spanId],
    queryFn: ({ signal }) =>
      readData(api.GET('/observability/spans/{spanId}', { params: { path: { spanId } }, signal })),
    placeholderData: (previous) => previous,
  });
  if (error !== null) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (span === undefined) return <Loading what="the span" />;
  const tabs: readonly Tab<SpanTab>[] = [
    { name: 'content', title: 'Content', content: <SpanContent span={span} /> },
    { name: 'attributes', title: 'Attributes', content: <Attributes span={span} /> },
    {
      name: 'events',
      title: `Events ${span.events.length === 0 ? '' : formatCount(span.events.length)}`,
      content: <Events span={span} />,
    },
    { name: 'logs', title: 'Logs', content: <Logs spanId={spanId} /> },
  ];
  const current = tabs.find(({ name }) => name === tab)?.name ?? 'content';
  return (
    <aside className={styles.inspector} aria-label={`Span ${span.name}`}>
      {!isNamed && (
        <header>
          <h2>{nameOf(span)}</h2>
          <StateMark state={stateOf(span)} word={wordFor(stateOf(span), span.attributes['error.type'])} />
        </header>
      )}
      {!isNamed && span.status.message !== undefined && (
        <p className={span.status.code === 2 ? styles.failure : undefined}>{span.status.message}</p>
      )}
      <Facts facts={listFacts(span)} />
      <Tabs label="Parts of the span" tabs={tabs} value={current} onChange={onTab} />
    </aside>
  );
}

function listFacts(span: Span): Record<string, ReactNode> {
  const { attributes, durationMs, startTime } = span;
  const [input, output] = [attributes['gen_ai.usage.input_tokens'], attributes['gen_ai.usage.output_tokens']];
  const costs = totalCosts([span]);
  const model = attributes['gen_ai.response.model'] ?? attributes['gen_ai.request.model'];
  return {
    Kind: kindOf(span),
    Started: <time title={formatDateTime(startTime)}>{formatClock(startTime)}</time>,
    Duration: durationMs === null ? 'running' : formatDuration(durationMs),
    Model: typeof model === 'string' ? model : undefined,
    Tokens:
      typeof input === 'number' && typeof output === 'number'
        ? `${formatCount(input)} in, ${formatCount(output)} out`
        : undefined,
    Cost: costs && formatCosts(costs),
    Error: typeof attributes['error.type'] === 'string' ? attributes['error.type'] : undefined,
    ...linkParts(attributes),
  };
}

/** The agent, tool, workflow and execution that the span names. */
function linkParts(attributes: Span['attributes']): Record<string, ReactNode> {
  const text = (name: string): string | undefined => {
    const value = attributes[name];
    return typeof value === 'string' ? value : undefined;
  };
  const [entity, type, execution] = [text('entity.id'), text('entity.type'), text('halyard.execution.id')];
  const agent = type === 'agent' ? entity : text('gen_ai.agent.id');
  const tool = text('gen_ai.tool.name');
  return {
    Agent: agent !== undefined && (
      <Link to="/agents/$agentId" params={{ agentId: agent }}>
        <AgentName id={agent} />
      </Link>
    ),
    Tool: tool !== undefined && (
      <Link to="/tools/$toolName" params={{ toolName: tool }}>
        {tool}
      </Link>
    ),
    Workflow: type === 'workflow' && entity !== undefined && (
      <Link to="/workflows/$workflowId" params={{ workflowId: entity }}>
        <WorkflowName id={entity} />
      </Link>
    ),
    Execution: type === 'workflow' && entity !== undefined && execution !== undefined && (
      <Link to="/executions/$workflowId/$executionId" params={{ workflowId: entity, executionId: execution }}>
        {execution}
      </Link>
    ),
  };
}

function Attributes({ span }: { readonly span: Span }): ReactNode {
  return (
    <div className={styles.stack}>
      <JsonView label="attributes" value={span.attributes} depth={1} />
      <h3>Resource</h3>
      <JsonView label="resource" value={span.resource} depth={1} />
      <Facts
        facts={{
          Span: <code>{span.spanId}</code>,
          Parent: span.parentSpanId === null ? 'none' : <code>{span.parentSpanId}</code>,
          Scope: span.instrumentationScope.name,
        }}
      />
    </div>
  );
}

function Events({ span: { events, links } }: { readonly span: Span }): ReactNode {
  if (events.length + links.length === 0) return <p className={styles.none}>The span has no events and no links.</p>;
  return (
    <ul className={styles.stack}>
      {events.map((event, index) => (
        <li key={`${event.time} ${index}`}>
          <h3>
            {event.name} <time>{formatClock(event.time)}</time>
          </h3>
          {event.attributes && <JsonView label={event.name} value={event.attributes} />}
        </li>
      ))}
      {links.map((link) => (
        <li key={link.spanId}>
          Linked to{' '}
          <Link to="/traces/$traceId" params={{ traceId: link.traceId }} search={{ span: link.spanId }}>
            span {link.spanId}
          </Link>
        </li>
      ))}
    </ul>
  );
}

function Logs({ spanId }: { readonly spanId: string }): ReactNode {
  const { data, error, refetch } = useQuery({
    queryKey: ['traces', 'logs', spanId],
    queryFn: ({ signal }) =>
      readData(
        api.GET('/observability/spans/{spanId}/logs', {
          params: { path: { spanId }, query: { limit: 100, offset: 0 } },
          signal,
        }),
      ),
  });
  if (error !== null) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Loading what="the log" />;
  if (data.logs.length === 0) return <p className={styles.none}>Nothing was logged inside this span.</p>;
  return (
    <ul className={styles.logs}>
      {data.logs.map((log, index) => (
        <li key={`${log.timestamp} ${index}`}>
          <time>{formatClock(log.timestamp)}</time> <b>{log.severityText.toLowerCase()}</b> {log.body}
        </li>
      ))}
    </ul>
  );
}
