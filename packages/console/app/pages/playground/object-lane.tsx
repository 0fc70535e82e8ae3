import { type ReactNode, type Ref, useEffect, useImperativeHandle, useRef, useState } from 'react';
import { formatDuration } from '../../ui/format.ts';
import { JsonView } from '../../ui/json-view.tsx';
import { StateMark } from '../../ui/state-mark.tsx';
import { TraceLink } from '../traces/trace-link.tsx';
import { type LaneHandle, type LaneSetup, optionsOf } from './lane.ts';
import { type ObjectRun, streamObject } from './stream-object.ts';
import { useFollow } from './use-follow.ts';
import styles from './playground.module.css';

/** Objects that an agent generates for a schema, as they grow. */
export function ObjectLane({
  onBusy,
  ref,
  schema,
  setup,
}: {
  readonly ref: Ref<LaneHandle>;
  readonly setup: LaneSetup;
  readonly schema: object;
  readonly onBusy: (isBusy: boolean) => void;
}): ReactNode {
  const [runs, setRuns] = useState<readonly ObjectRun[]>([]);
  const abort = useRef<AbortController>(undefined);
  const { content, follow, scroller } = useFollow();
  const isBusy = runs.at(-1)?.state === 'running';
  useEffect(() => onBusy(isBusy), [isBusy, onBusy]);
  useEffect(() => () => abort.current?.abort(), []);
  const { agent, log } = setup;
  useImperativeHandle(ref, () => ({
    send: (input) => {
      follow();
      abort.current = new AbortController();
      const { resumable: _, ...options } = optionsOf(setup);
      const show = (run: ObjectRun): void =>
        setRuns((known) => [...known.filter(({ traceId }) => traceId !== run.traceId), run]);
      void streamObject(agent.id, { input, schema, options }, { log, signal: abort.current.signal, show });
    },
    stop: () => abort.current?.abort(),
  }));
  return (
    <div className={styles.scroller} ref={scroller} tabIndex={-1}>
      {runs.length === 0 && (
        <p className={styles.beginning}>
          Edit the schema, then write below what the object is to be made from. It grows here while it is generated.
        </p>
      )}
      <ol className={styles.messages} ref={content} aria-label={`Objects of ${agent.name}`}>
        {runs.map((run) => (
          <li key={run.traceId} className={styles.run}>
            <p className={styles.text}>{run.input}</p>
            <p className={styles.measures}>
              <StateMark state={run.state} />
              {run.durationMs !== undefined && <span>{formatDuration(run.durationMs)}</span>}
              {run.updates > 1 && <span>{run.updates} updates</span>}
              <TraceLink traceId={run.traceId}>Trace</TraceLink>
            </p>
            {run.object !== undefined && <JsonView label="Object" value={run.object} depth={4} />}
            {run.error !== undefined && (
              <p className={styles.error} role="alert">
                {run.error}
              </p>
            )}
          </li>
        ))}
      </ol>
    </div>
  );
}
