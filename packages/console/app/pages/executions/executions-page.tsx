import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type ReactNode, useMemo, useState } from 'react';
import { useIsRestricted, useIsUser, useMayOperate } from '../../access/credential.ts';
import { Button } from '../../ui/button.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { FilterSelect, FilterText, FilterToggle, TimeSelect } from '../../ui/filters.tsx';
import { formatCount, formatDuration, shortId } from '../../ui/format.ts';
import { LinkButton } from '../../ui/link-button.tsx';
import { EmptyState, ErrorState, Loading } from '../../ui/notice.tsx';
import { Page } from '../../ui/page.tsx';
import { StateMark } from '../../ui/state-mark.tsx';
import { Ago } from '../../ui/time.tsx';
import { useIsNarrow } from '../../ui/use-is-narrow.ts';
import { workflowsQuery } from '../workflows/workflows-query.ts';
import { BulkDialog } from './bulk-dialog.tsx';
import { BulkProgress } from './bulk-progress.tsx';
import { describe } from './describe-record.ts';
import { type ExecutionSearch, parseMetadata, stateOf } from './execution-filter.ts';
import { type ExecutionRecord, useExecutionCount, useExecutionList } from './use-execution-list.ts';
import styles from './executions.module.css';

const route = getRouteApi('/executions');

const columns: readonly Column<ExecutionRecord>[] = [
  {
    name: 'Execution',
    width: 'minmax(6rem, 1.7fr)',
    cell: ({ id, workflowId }) => (
      <Link to="/executions/$workflowId/$executionId" params={{ workflowId, executionId: id }} title={id}>
        <code>{shortId(id)}</code>
      </Link>
    ),
  },
  { name: 'Workflow', width: 'minmax(4rem, 1.2fr)', cell: ({ workflowName }) => workflowName },
  { name: 'Status', width: '7.5rem', cell: (record) => <StateMark state={stateOf(record)} /> },
  {
    name: 'Waits for, or failed at',
    width: 'minmax(8rem, 1.8fr)',
    below: 'narrow',
    cell: (record) => <About record={record} />,
  },
  { name: 'User', width: 'minmax(5rem, 1fr)', isSecondary: true, cell: ({ userId }) => userId ?? '–' },
  {
    name: 'Duration',
    width: '6rem',
    isNumber: true,
    isSecondary: true,
    cell: ({ createdAt, status, updatedAt }) =>
      status === 'running' || status === 'suspended'
        ? '–'
        : formatDuration(Date.parse(updatedAt) - Date.parse(createdAt)),
  },
  {
    name: 'Started',
    width: '6rem',
    isNumber: true,
    isSecondary: true,
    cell: ({ createdAt }) => <Ago time={createdAt} />,
  },
];

/** On a phone, what has neither a reason nor an error shows whose it is, and when it began. */
function About({ record }: { readonly record: ExecutionRecord }): ReactNode {
  const isNarrow = useIsNarrow();
  const about = describe(record);
  if (about !== '' || !isNarrow)
    return (
      <span title={about} dir="auto">
        {about}
      </span>
    );
  return (
    <>
      {record.userId !== undefined && `${record.userId} · `}
      <Ago time={record.createdAt} />
    </>
  );
}

const quickFilters: readonly { readonly name: string; readonly mark: string; readonly search: ExecutionSearch }[] = [
  { name: 'waiting', mark: 'suspended', search: { status: 'suspended' } },
  { name: 'failed', mark: 'error', search: { status: 'error' } },
  { name: 'quarantined', mark: 'quarantined', search: { quarantined: 'true' } },
];

/** All executions, newest first, live, with actions for one, several or all that match. */
export function ExecutionsPage(): ReactNode {
  const { bulk, ...search } = route.useSearch();
  const navigate = route.useNavigate();
  const isUser = useIsUser();
  const isRestricted = useIsRestricted();
  const mayOperate = useMayOperate(undefined);
  const change = (changed: Partial<ExecutionSearch & { bulk: string }>): void => {
    void navigate({ search: (current) => ({ ...current, ...changed }), replace: true });
  };
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [isBulkOpen, setBulkOpen] = useState(false);
  const { data: workflows = [] } = useQuery(workflowsQuery);
  const { error, isLoading, isLoadingMore, loadMore, refresh, rows, setRange } = useExecutionList(search);
  const total = useExecutionCount(search);
  const chosen = useMemo(() => rows.filter(({ id }) => selected.has(id)), [rows, selected]);
  const toggle = ({ id }: ExecutionRecord): void => {
    const next = new Set(selected);
    if (!next.delete(id)) next.add(id);
    setSelected(next);
  };
  const areAllChecked = rows.length > 0 && chosen.length === rows.length;
  const isFiltered = Object.values(search).some((value) => value !== undefined);
  const metadataProblem =
    search.metadata !== undefined && parseMetadata(search.metadata) === undefined
      ? 'Write a field and its value, such as tenant=acme, or a JSON object.'
      : undefined;
  return (
    <Page
      title="Executions"
      about={total === undefined ? undefined : total >= 10_000 ? 'over 10,000' : formatCount(total)}
      isFilled
      actions={
        rows.length > 0 &&
        mayOperate &&
        // The token of a user, or of a limited role, opens no bulk operations.
        (!isRestricted || chosen.length > 0) && (
          <Button onClick={() => setBulkOpen(true)}>
            {chosen.length > 0 ? `Change ${formatCount(chosen.length)} selected` : 'Change all that match'}
          </Button>
        )
      }
      bar={
        <>
          {quickFilters.map(({ mark, name, search: quick }) => (
            <QuickFilter
              key={name}
              name={name}
              mark={mark}
              quick={quick}
              search={search}
              onChange={(next) => change({ status: undefined, quarantined: undefined, ...next })}
            />
          ))}
          <FilterSelect
            label="Workflow"
            value={search.workflowId}
            options={workflows.map(({ id, name }) => ({ value: id, name }))}
            onChange={(workflowId) => change({ workflowId })}
          />
          <FilterSelect
            label="Status"
            value={search.status}
            options={['running', 'suspended', 'completed', 'error', 'cancelled']}
            onChange={(status) => change({ status })}
          />
          <TimeSelect value={search.range} onChange={(range) => change({ range })} />
          {!isUser && <FilterText label="User" value={search.userId} onChange={(userId) => change({ userId })} />}
          <FilterText
            label="Metadata"
            value={search.metadata}
            placeholder="tenant=acme"
            problem={metadataProblem}
            onChange={(metadata) => change({ metadata })}
          />
        </>
      }
    >
      {metadataProblem !== undefined && <p className={styles.problem}>{metadataProblem}</p>}
      {bulk !== undefined && <BulkProgress bulkId={bulk} onClose={() => change({ bulk: undefined })} />}
      {error !== null ? (
        <ErrorState error={error} onRetry={refresh} />
      ) : isLoading ? (
        <Loading what="the executions" />
      ) : rows.length === 0 ? (
        <EmptyState
          title={isFiltered ? 'No execution matches' : 'Nothing has run yet'}
          {...(!isFiltered && workflows[0] !== undefined && { action: <StartLink workflow={workflows[0]} /> })}
        >
          {isFiltered ? 'Widen the time or clear a filter.' : 'Each run of a workflow appears here.'}
        </EmptyState>
      ) : (
        <DataTable
          label="Executions"
          columns={columns}
          rows={rows}
          rowKey={({ id }) => id}
          total={total}
          onEnd={loadMore}
          isLoadingMore={isLoadingMore}
          onRange={setRange}
          selection={{
            isChecked: ({ id }) => selected.has(id),
            onToggle: toggle,
            areAllChecked,
            onToggleAll: () => setSelected(new Set(areAllChecked ? [] : rows.map(({ id }) => id))),
          }}
        />
      )}
      {isBulkOpen && (
        <BulkDialog
          search={search}
          selected={chosen}
          onClose={() => setBulkOpen(false)}
          onStarted={(bulkId) => {
            setBulkOpen(false);
            setSelected(new Set());
            change({ bulk: bulkId });
          }}
          onChanged={() => {
            setSelected(new Set());
            refresh();
          }}
        />
      )}
    </Page>
  );
}

function StartLink({ workflow: { id, name } }: { readonly workflow: { id: string; name: string } }): ReactNode {
  return (
    <LinkButton
      to="/workflows/$workflowId"
      params={{ workflowId: id }}
      search={{ tab: 'start' }}
      look="main"
      icon="play"
    >
      Start {name}
    </LinkButton>
  );
}

/** How many need attention, and a list of them. */
function QuickFilter({
  name,
  onChange,
  quick,
  search,
  mark,
}: {
  readonly name: string;
  readonly mark: string;
  readonly quick: ExecutionSearch;
  readonly search: ExecutionSearch;
  readonly onChange: (search: ExecutionSearch) => void;
}): ReactNode {
  const { quarantined: _, status: __, ...others } = search;
  const count = useExecutionCount({ ...others, ...quick });
  const isOn = search.status === quick.status && search.quarantined === quick.quarantined;
  return (
    <FilterToggle isOn={isOn} onChange={(next) => onChange(next ? quick : {})}>
      <StateMark state={mark} isShort /> {name} <b>{count === undefined ? '' : formatCount(count)}</b>
    </FilterToggle>
  );
}
