import { getRouteApi, Link } from '@tanstack/react-router';
import { type ReactNode, useMemo, useState } from 'react';
import { useLiveQueries } from '../../live/use-live-queries.ts';
import { Facts } from '../../ui/facts.tsx';
import { formatCosts, formatCount, formatDateTime, formatDuration } from '../../ui/format.ts';
import { ErrorState, Loading } from '../../ui/notice.tsx';
import { Page } from '../../ui/page.tsx';
import { StateMark } from '../../ui/state-mark.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { SpanInspector, type SpanTab } from './span-inspector.tsx';
import { findOrigins, nameOf, type Span, stateOf, totalCosts, toWaterfall, wordFor } from './span-rows.ts';
import { StoryView } from './story-view.tsx';
import { TraceActions } from './trace-actions.tsx';
import { useStory } from './use-story.ts';
import { useTrace } from './use-trace.ts';
import { WaterfallView } from './waterfall-view.tsx';
import styles from './trace-page.module.css';

const route = getRouteApi('/traces/$traceId');

/** One trace: what happened in plain words, or its spans over time. */
export function TracePage(): ReactNode {
  const { traceId } = route.useParams();
  const { span, tab, view } = route.useSearch();
  const navigate = route.useNavigate();
  useLiveQueries(['traces', 'one', traceId]);
  const { error, isComplete, reload, spans } = useTrace(traceId);
  const [collapsed, setCollapsed] = useState<ReadonlySet<string>>(new Set());
  const [readAt] = useState(() => Date.now());
  const [isClosed, setClosed] = useState(false);
  const [shownId, setShownId] = useState(traceId);
  if (shownId !== traceId) {
    setShownId(traceId);
    setCollapsed(new Set());
    setClosed(false);
  }
  const all = useMemo(() => toWaterfall(spans, new Set(), readAt), [spans, readAt]);
  const waterfall = collapsed.size === 0 ? all : toWaterfall(spans, collapsed, readAt);
  const story = useStory(traceId, all.rows, isComplete);
  // A durable reply is shown as its agent, like in the list.
  const root = story.lines[0]?.span ?? waterfall.rows[0]?.span;
  const origins = useMemo(() => findOrigins(spans), [spans]);
  const selected = span ?? (isClosed ? undefined : origins[0]?.spanId);
  const change = (changed: Partial<ReturnType<typeof route.useSearch>>): void => {
    void navigate({ search: (search) => ({ ...search, ...changed }), replace: true });
  };
  const select = (spanId: string | undefined): void => {
    setClosed(spanId === undefined);
    change({ span: spanId });
  };
  const changeTab = (next: SpanTab): void => change({ tab: next });
  const toggle = (spanId: string): void => {
    const next = new Set(collapsed);
    if (!next.delete(spanId)) next.add(spanId);
    setCollapsed(next);
  };

  if (error !== null) {
    return (
      <Page title="Trace" isFilled actions={<TraceActions traceId={traceId} isComplete />}>
        <ErrorState error={error} onRetry={reload} back={<Link to="/traces">All traces</Link>} />
      </Page>
    );
  }
  if (root === undefined) {
    return (
      <Page title="Trace" isFilled actions={<TraceActions traceId={traceId} isComplete={false} />}>
        <Loading what="the trace" />
      </Page>
    );
  }
  return (
    <Page
      title={nameOf(root)}
      tabTitle={`Trace ${nameOf(root)}`}
      about={<StateMark state={stateOf(root)} word={wordFor(stateOf(root), root.attributes['error.type'])} />}
      actions={<TraceActions traceId={traceId} isComplete={isComplete} />}
      isFilled
      bar={<Facts facts={listFacts(root, spans, waterfall.end - waterfall.start, isComplete)} />}
    >
      {origins[0] !== undefined && (
        <Failures
          origins={origins}
          first={origins[0]}
          name={story.lines.find(({ spanIds }) => spanIds.includes(origins[0]?.spanId ?? ''))?.title}
          spans={spans}
          onSelect={select}
        />
      )}
      <Tabs
        label="Views of the trace"
        isFilled
        value={view === 'spans' ? 'spans' : 'story'}
        onChange={(next) => change({ view: next === 'story' ? undefined : next })}
        tabs={[
          {
            name: 'story',
            title: 'Story',
            content: <StoryView story={story} selected={selected} onSelect={select} tab={tab} onTab={changeTab} />,
          },
          {
            name: 'spans',
            title: 'Spans',
            content: (
              <div className={styles.split}>
                <WaterfallView
                  waterfall={waterfall}
                  collapsed={collapsed}
                  selected={selected}
                  onSelect={select}
                  onToggle={toggle}
                />
                <SpanInspector spanId={selected ?? root.spanId} tab={tab} onTab={changeTab} />
              </div>
            ),
          },
        ]}
      />
    </Page>
  );
}

/** How many spans failed, and where the first reason is. */
function Failures({
  first,
  name = nameOf(first),
  onSelect,
  origins,
  spans,
}: {
  readonly first: Span;
  /** As the story names it. */
  readonly name?: string | undefined;
  readonly origins: readonly Span[];
  readonly spans: readonly Span[];
  readonly onSelect: (spanId: string) => void;
}): ReactNode {
  const failed = spans.filter(({ status }) => status.code === 2).length;
  return (
    <div className={styles.failures} role="status">
      <b>
        {formatCount(failed)} of {formatCount(spans.length)} {spans.length === 1 ? 'span' : 'spans'} failed
      </b>
      <button type="button" dir="auto" onClick={() => onSelect(first.spanId)}>
        {name}
      </button>
      {origins.length > 1 && <span>and {formatCount(origins.length - 1)} more</span>}
    </div>
  );
}

function listFacts(
  root: Span,
  spans: readonly Span[],
  durationMs: number,
  isComplete: boolean,
): Record<string, ReactNode> {
  const { attributes } = root;
  const [input, output] = [attributes['gen_ai.usage.input_tokens'], attributes['gen_ai.usage.output_tokens']];
  const costs = totalCosts(spans);
  const [user, conversation] = [toText(attributes['user.id']), toText(attributes['gen_ai.conversation.id'])];
  const [execution, workflow] = [toText(attributes['halyard.execution.id']), toText(attributes['entity.id'])];
  return {
    Started: formatDateTime(root.startTime),
    Duration: formatDuration(durationMs),
    Spans: isComplete ? formatCount(spans.length) : `${formatCount(spans.length)} so far`,
    Tokens:
      typeof input === 'number' && typeof output === 'number'
        ? `${formatCount(input)} in, ${formatCount(output)} out`
        : undefined,
    Cost: costs && formatCosts(costs),
    Feedback: listRatings(spans),
    User:
      user === undefined ? undefined : (
        <Link to="/users/$userId" params={{ userId: user }}>
          {user}
        </Link>
      ),
    Conversation:
      conversation === undefined ? undefined : (
        <Link to="/conversations/$conversationId" params={{ conversationId: conversation }}>
          {conversation}
        </Link>
      ),
    Execution:
      execution === undefined || workflow === undefined ? undefined : (
        <Link to="/executions/$workflowId/$executionId" params={{ workflowId: workflow, executionId: execution }}>
          {execution}
        </Link>
      ),
    Logs: (
      <Link to="/logs" search={{ traceId: root.traceId }}>
        Show
      </Link>
    ),
  };
}

/** `👍 👎`; undefined without any. */
function listRatings(spans: readonly Span[]): string | undefined {
  const signs = spans.flatMap(({ attributes }) => {
    if (attributes['entity.type'] !== 'feedback') return [];
    const rating = attributes['entity.id'];
    return rating === 'up' ? ['👍'] : rating === 'down' ? ['👎'] : [];
  });
  return signs.length === 0 ? undefined : signs.join(' ');
}

function toText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
