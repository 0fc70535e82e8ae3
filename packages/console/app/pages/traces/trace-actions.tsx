import { useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';
import { IconButton } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { formatCount } from '../../ui/format.ts';
import { isTyping } from '../../ui/is-typing.ts';
import { notifyFailure } from '../../ui/toast.tsx';
import { downloadTrace } from './download-trace.ts';
import { traceFilters } from './trace-search.ts';
import { useTraceList } from './use-trace-list.ts';
import styles from './trace-page.module.css';

const route = getRouteApi('/traces/$traceId');

/** Leads to the traces before and after this one in its list, copies a link, and downloads it. */
export function TraceActions({
  isComplete,
  traceId,
}: {
  readonly traceId: string;
  /** Whether the trace has been read. The list is read after it. */
  readonly isComplete: boolean;
}): ReactNode {
  const [isBusy, setBusy] = useState(false);
  const filters = traceFilters(route.useSearch());
  const hasList = useQueryClient().getQueryData(['traces', 'list', filters]) !== undefined;
  const download = (): void => {
    setBusy(true);
    downloadTrace(traceId)
      .catch(notifyFailure)
      .finally(() => setBusy(false));
  };
  return (
    <div className={styles.actions}>
      {isComplete || hasList ? <Neighbours traceId={traceId} /> : <Steps move={() => {}} />}
      {/* The address has the filters of the list and the selected span. */}
      <CopyButton text={location.href} label="Copy a link" icon="share" />
      <IconButton icon="download" label="Download as JSON" disabled={isBusy} onClick={download} />
    </div>
  );
}

function Neighbours({ traceId }: { readonly traceId: string }): ReactNode {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { loadMore, rows, total } = useTraceList(search);
  const at = rows.findIndex((row) => row.traceId === traceId);
  const isNearEnd = at !== -1 && at >= rows.length - 2;
  useEffect(() => {
    if (isNearEnd) loadMore();
  }, [isNearEnd, loadMore]);
  const [before, after] = at === -1 ? [] : [rows[at - 1]?.traceId, rows[at + 1]?.traceId];
  const move = (next: string | undefined): void => {
    if (next === undefined) return;
    const { span: _, ...kept } = search;
    void navigate({ to: '/traces/$traceId', params: { traceId: next }, search: kept, replace: true });
  };
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if (isTyping(event)) return;
      if (event.key === 'j') move(after);
      else if (event.key === 'k') move(before);
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  });
  return (
    <Steps
      before={before}
      after={after}
      move={move}
      position={at === -1 || total === undefined ? undefined : `${formatCount(at + 1)} of ${formatCount(total)}`}
    />
  );
}

function Steps({
  after,
  before,
  move,
  position,
}: {
  readonly before?: string | undefined;
  readonly after?: string | undefined;
  readonly position?: string | undefined;
  readonly move: (traceId: string | undefined) => void;
}): ReactNode {
  return (
    <>
      <span>{position}</span>
      <IconButton
        icon="chevron"
        className={styles.before}
        label="Previous trace"
        aria-keyshortcuts="k"
        disabled={before === undefined}
        onClick={() => move(before)}
      />
      <IconButton
        icon="chevron"
        className={styles.after}
        label="Next trace"
        aria-keyshortcuts="j"
        disabled={after === undefined}
        onClick={() => move(after)}
      />
    </>
  );
}
