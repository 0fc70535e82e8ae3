import { Link } from '@tanstack/react-router';
import type { CSSProperties, ReactNode } from 'react';
import { Button, IconButton } from '../../ui/button.tsx';
import { formatClock, shortId } from '../../ui/format.ts';
import { StateMark } from '../../ui/state-mark.tsx';
import { stateOf } from './execution-filter.ts';
import type { Fork, Moment } from './moments.ts';
import type { Replay } from './use-replays.ts';
import styles from './time-slider.module.css';

const notable = new Set<Moment['state']>(['error', 'suspended', 'cancelled']);

/**
 * Goes through the moments of an execution: the page shows its steps as they were. Arcs lead from a
 * rewind back to where its steps had begun, and branches to the replays.
 */
export function TimeSlider({
  forks,
  moments,
  onChange,
  ownId,
  replays,
  value,
  workflowId,
}: {
  readonly workflowId: string;
  readonly ownId: string;
  readonly moments: readonly Moment[];
  readonly forks: readonly Fork[];
  readonly replays: readonly Replay[];
  /** The sequence number of the moment that is shown; undefined: the present. */
  readonly value: number | undefined;
  readonly onChange: (seq: number | undefined) => void;
}): ReactNode {
  const last = moments.length - 1;
  const found = value === undefined ? -1 : moments.findLastIndex(({ seq }) => seq <= value);
  const index = found === -1 ? last : found;
  const moment = moments[index];
  if (moment === undefined || last < 1) return null;
  const go = (to: number): void => onChange(to >= last ? undefined : moments[Math.max(0, to)]?.seq);
  const arcs = forks.filter(({ from, to }) => to < from);
  const place = (at: number): string => `${(at / last) * 100}%`;
  const text = `${formatClock(moment.at)}, ${moment.text}`;
  return (
    <section className={styles.time} aria-label="Time">
      <p className={styles.moment}>
        <span className={styles.buttons}>
          <IconButton icon="back" label="The moment before" disabled={index === 0} onClick={() => go(index - 1)} />
          <IconButton icon="chevron" label="The next moment" disabled={index === last} onClick={() => go(index + 1)} />
        </span>
        <StateMark state={moment.state} isShort />
        <span className={styles.text}>
          <time>{formatClock(moment.at)}</time> <span dir="auto">{moment.text}</span>
        </span>
        <small>
          {index + 1} of {moments.length}
        </small>
        {index < last && (
          <Button look="quiet" onClick={() => onChange(undefined)}>
            Back to now
          </Button>
        )}
      </p>
      {forks.length > 0 && (
        <ul className={styles.forks} aria-label="Rewinds">
          {forks.map(({ from, text: what }, number) => (
            <li key={number}>
              <button type="button" onClick={() => go(from)}>
                {what}
              </button>{' '}
              {formatClock((moments[from + 1] ?? moments[from])?.at ?? 0)}
            </li>
          ))}
        </ul>
      )}
      <div className={styles.track} data-arcs={arcs.length > 0}>
        {arcs.length > 0 && (
          <svg className={styles.arcs} viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true">
            {arcs.map((fork, number) => (
              <path key={number} d={toArc(fork, last)} />
            ))}
          </svg>
        )}
        <span className={styles.line} aria-hidden="true" />
        <span className={styles.past} style={{ width: place(index) }} aria-hidden="true" />
        {arcs.map(({ from, to }, number) => (
          <span
            key={number}
            className={styles.undone}
            style={{ left: place(to), width: place(from - to) }}
            aria-hidden="true"
          />
        ))}
        {moments.map(({ seq, state }, at) =>
          notable.has(state) ? (
            <span key={seq} className={styles.mark} data-state={state} style={{ left: place(at) }} aria-hidden="true" />
          ) : null,
        )}
        <input
          type="range"
          min={0}
          max={last}
          value={index}
          aria-label="Moment of the execution"
          aria-valuetext={`${text}, ${index + 1} of ${moments.length}`}
          onChange={(event) => go(event.target.valueAsNumber)}
        />
      </div>
      {replays.length > 0 && (
        <ul className={styles.lanes} aria-label="Replays">
          {replays.map((replay, lane) => (
            <Lane
              key={replay.record.id}
              replay={replay}
              lane={lane}
              last={last}
              workflowId={workflowId}
              ownId={ownId}
            />
          ))}
        </ul>
      )}
    </section>
  );
}

/** From one moment up and back to an earlier one. */
function toArc({ from, to }: Fork, last: number): string {
  const [start, end] = [(from / last) * 100, (to / last) * 100];
  return `M${start} 100C${start} 0 ${end} 0 ${end} 100`;
}

/** A replay branches off below the line, where its first step had started. */
function Lane({
  lane,
  last,
  ownId,
  replay: { at, record },
  workflowId,
}: {
  readonly replay: Replay;
  readonly lane: number;
  readonly last: number;
  readonly ownId: string;
  readonly workflowId: string;
}): ReactNode {
  const { id } = record;
  const style = { '--at': at / last, '--lane': lane } as CSSProperties;
  return (
    <li className={styles.lane} style={style} data-side={at * 2 > last ? 'end' : 'start'}>
      <span className={styles.branch} aria-hidden="true" />
      <span className={styles.label}>
        <StateMark state={stateOf(record)} isShort />
        <Link to="/executions/$workflowId/$executionId" params={{ workflowId, executionId: id }} title={id}>
          Replay {shortId(id)}
        </Link>
        <Link to="/compare/$workflowId" params={{ workflowId }} search={{ left: ownId, right: id }}>
          compare
        </Link>
      </span>
    </li>
  );
}
