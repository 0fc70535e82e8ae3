import { getRouteApi, Link } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef } from 'react';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { FilterSelect } from '../../ui/filters.tsx';
import { formatCount } from '../../ui/format.ts';
import { LinkButton } from '../../ui/link-button.tsx';
import { EmptyState, ErrorState, Loading } from '../../ui/notice.tsx';
import { Page } from '../../ui/page.tsx';
import { Ago } from '../../ui/time.tsx';
import { ApprovalPanel } from './approval-panel.tsx';
import { ApprovalPreview } from './approval-preview.tsx';
import { useWaitingResponses } from './delayed-responses.ts';
import { useApprovalKeys } from './use-approval-keys.ts';
import { type Approval, approvalKey, useApprovals } from './use-approvals.ts';
import styles from './approvals.module.css';

const route = getRouteApi('/approvals');

const kinds = [
  { value: 'tool', name: 'tool calls' },
  { value: 'step', name: 'workflow steps' },
  { value: 'request', name: 'suspended from outside' },
];

const columns: readonly Column<Approval>[] = [
  {
    name: 'Request',
    width: 'minmax(9rem, 1fr)',
    cell: (approval) => (
      <Link to="/approvals" search={(search) => ({ ...search, id: approvalKey(approval) })}>
        {approval.toolName ?? approval.reason}
      </Link>
    ),
  },
  { name: 'Since', width: '5rem', isNumber: true, cell: ({ requestedAt }) => <Ago time={requestedAt} /> },
  { name: 'About', width: '1fr', below: 'always', cell: (approval) => <ApprovalPreview approval={approval} /> },
];

/**
 * One inbox for everything that waits for a person: tool calls of agents and sub-agents, and steps
 * of workflows.
 */
export function ApprovalsPage(): ReactNode {
  const list = useRef<HTMLDivElement>(null);
  const { id, kind } = route.useSearch();
  const navigate = route.useNavigate();
  const { data, error, isPending, refetch } = useApprovals();
  const waiting = useWaitingResponses();
  const rows =
    data?.approvals.filter(
      (approval) => (kind === undefined || approval.kind === kind) && !waiting.has(approvalKey(approval)),
    ) ?? [];
  const selected =
    rows.find((approval) => approvalKey(approval) === id || approval.id === id) ??
    (id === undefined ? rows[0] : undefined);
  const selectedKey = selected && approvalKey(selected);
  const hasResponded = useRef(false);
  /** The answered request may still be among the rows. */
  const showNext = (): void => {
    const at = rows.findIndex((approval) => approvalKey(approval) === selectedKey);
    const next = at < 0 ? selected : (rows[at + 1] ?? rows[at - 1]);
    hasResponded.current = true;
    void navigate({ search: { ...(kind && { kind }), ...(next && { id: approvalKey(next) }) }, replace: true });
  };
  const move = (by: 1 | -1): void => {
    const next = rows[rows.findIndex((approval) => approvalKey(approval) === selectedKey) + by];
    if (next === undefined) return;
    hasResponded.current = true;
    void navigate({ search: (search) => ({ ...search, id: approvalKey(next) }), replace: true });
  };
  useApprovalKeys(selected, move, showNext);
  useEffect(() => {
    if (!hasResponded.current) return;
    hasResponded.current = false;
    // The button that had the focus is gone.
    list.current?.querySelector<HTMLElement>('[aria-current] a')?.focus();
  }, [selectedKey]);
  return (
    <Page
      title="Approvals"
      about={data === undefined ? undefined : `${formatCount(rows.length)}${data.hasMore ? ' or more' : ''}`}
      isFilled
      actions={
        <LinkButton to="/approvals/grants" icon="check">
          Approved in advance
        </LinkButton>
      }
      bar={
        <FilterSelect
          label="Kind"
          value={kind}
          options={kinds}
          onChange={(next) => void navigate({ search: next === undefined ? {} : { kind: next }, replace: true })}
        />
      }
    >
      {error !== null ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : isPending ? (
        <Loading what="what waits" />
      ) : rows.length === 0 && selected === undefined ? (
        <EmptyState
          title={kind === undefined ? 'Nothing waits for a person' : 'Nothing of this kind waits'}
          {...(kind === undefined && { snippet: example })}
        >
          {kind === undefined
            ? 'Tools that need approval, and workflows that suspend, appear here at once. A tool asks with:'
            : 'Clear the filter to see the other requests.'}
        </EmptyState>
      ) : (
        <div className={styles.split} ref={list}>
          <DataTable
            label="Approvals"
            columns={columns}
            rows={rows}
            rowKey={approvalKey}
            isSelected={(approval) => approval === selected}
          />
          {selected === undefined ? (
            <EmptyState title="This request is answered">It was answered, cancelled, or has expired.</EmptyState>
          ) : (
            <ApprovalPanel key={approvalKey(selected)} approval={selected} onResponse={showNext} />
          )}
        </div>
      )}
    </Page>
  );
}

/** Ids of steps are unique in their execution only. */
const example = `const refund = createTool({
  name: 'refund',
  needsApproval: true,
  // …
});`;
