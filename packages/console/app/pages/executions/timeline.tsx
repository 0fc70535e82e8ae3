import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useMemo, useRef, useState } from 'react';
import type { components } from '../../api/schema.ts';
import { classes } from '../../ui/classes.ts';
import { FilterToggle } from '../../ui/filters.tsx';
import { formatAttempt, formatClock, formatDuration } from '../../ui/format.ts';
import { EmptyState } from '../../ui/notice.tsx';
import { StateMark } from '../../ui/state-mark.tsx';
import { useNow } from '../../ui/time.tsx';
import { nameOfStep, type WorkflowStep } from '../workflows/workflow-graph.ts';
import { lastAttemptMs, type StepRun } from './execution-model.ts';
import { type TimeScale, timeScale } from './time-scale.ts';
import styles from './timeline.module.css';

const rowHeight = 30;

/**
 * Each run of a step as a bar: solid while it works, hatched while it waits, with a mark for each
 * failed attempt.
 */
export function Timeline({
  at,
  execution,
  onSelect,
  runs,
  selectedId,
  workflow,
}: {
  readonly execution: components['schemas']['ExecutionState'];
  readonly runs: readonly StepRun[];
  /** The moment that the page shows, if it has passed. */
  readonly at: number | undefined;
  readonly selectedId: string | undefined;
  readonly workflow: components['schemas']['WorkflowDetail'] | undefined;
  readonly onSelect: (id: string) => void;
}): ReactNode {
  const [areWaitsFolded, setFolded] = useState(true);
  const now = useNow();
  const start = Date.parse(execution.startAt);
  const end = execution.endAt === null ? Math.max(now, start + 1) : Date.parse(execution.endAt);
  const scale = useMemo(
    () => timeScale(runs, Math.min(start, ...runs.slice(0, 1).map((run) => run.startedAt)), end, { areWaitsFolded }),
    [runs, start, end, areWaitsFolded],
  );
  const scroller = useRef<HTMLDivElement>(null);
  const virtualizer = useVirtualizer({
    count: runs.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 16,
  });
  if (runs.length === 0)
    return <EmptyState title="No step has started yet">Steps appear here as they start.</EmptyState>;
  return (
    <div className={styles.timeline}>
      <header>
        <span>
          {formatClock(scale.start)} to {execution.endAt === null ? 'now' : formatClock(scale.end)},{' '}
          {formatDuration(end - scale.start)}
        </span>
        <FilterToggle isOn={areWaitsFolded} onChange={setFolded}>
          Shorten waits
        </FilterToggle>
      </header>
      <div className={styles.rows} ref={scroller} role="list" aria-label="Runs of steps" tabIndex={-1}>
        <div style={{ height: virtualizer.getTotalSize() }} className={styles.content}>
          {virtualizer.getVirtualItems().map(({ index, start: top }) => {
            const run = runs[index];
            return run === undefined ? null : (
              <div
                key={index}
                role="listitem"
                className={styles.row}
                style={{ transform: `translateY(${top}px)`, height: rowHeight }}
              >
                <Row
                  run={run}
                  name={nameOfRun(run, workflow?.steps)}
                  scale={scale}
                  at={at}
                  end={end}
                  isSelected={selectedId === run.instance || selectedId?.split('/').at(-1) === run.stepId}
                  onSelect={onSelect}
                />
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );
}

/** The name of the step, with its items: `Approve 3`. */
function nameOfRun({ instance, stepId }: StepRun, steps: readonly WorkflowStep[] = []): string {
  return [nameOfStep(steps, stepId), ...instance.split(':').slice(1)].join(' ');
}

function Row({
  at,
  end,
  isSelected,
  name,
  onSelect,
  run,
  scale,
}: {
  readonly run: StepRun;
  readonly name: string;
  readonly scale: TimeScale;
  readonly at: number | undefined;
  readonly end: number;
  readonly isSelected: boolean;
  readonly onSelect: (id: string) => void;
}): ReactNode {
  const { attempts, endedAt, instance, isSuperseded, isUndone, pauses, startedAt, state, type } = run;
  const to = endedAt ?? end;
  const place = (from: number, until: number): { left: string; width: string } => ({
    left: `${scale.at(from) * 100}%`,
    width: `${Math.max(0, scale.at(until) - scale.at(from)) * 100}%`,
  });
  const isSleep = type === 'andSleep' || type === 'andSleepUntil' || type === 'andWaitForEvent' || type === 'andJoin';
  return (
    <button
      type="button"
      className={classes(styles.run, isSelected && styles.selected, isSuperseded && styles.superseded)}
      aria-pressed={isSelected}
      onClick={() => onSelect(instance)}
    >
      <span className={styles.name}>
        <StateMark state={state} isShort />
        <span title={instance}>{name}</span>
        {attempts.length > 0 && <small>{attempts.length + 1} attempts</small>}
        {isUndone && <small>undone</small>}
        {isSuperseded && <small>ran again</small>}
      </span>
      <span className={styles.track} aria-hidden="true">
        <span className={classes(styles.bar, isSleep && styles.wait)} data-state={state} style={place(startedAt, to)} />
        {pauses.map((pause) => (
          <span
            key={pause.from}
            className={classes(styles.bar, styles.wait)}
            style={place(pause.from, pause.to ?? end)}
          />
        ))}
        {attempts.map(({ at: failedAt, delayMs }) => (
          <span
            key={failedAt}
            className={classes(styles.bar, styles.wait, styles.retry)}
            style={place(failedAt, Math.min(failedAt + delayMs, to))}
          />
        ))}
        {at !== undefined && <span className={styles.moment} style={{ left: `${scale.at(at) * 100}%` }} />}
      </span>
      <span className={styles.duration} {...(attempts.length > 0 && { title: 'The last attempt' })}>
        {formatAttempt(lastAttemptMs(run, to))}
      </span>
    </button>
  );
}
