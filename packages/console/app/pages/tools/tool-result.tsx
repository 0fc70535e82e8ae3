import type { ReactNode } from 'react';
import { ApiError } from '../../api/client.ts';
import { formatDuration } from '../../ui/format.ts';
import { JsonView } from '../../ui/json-view.tsx';
import { StateMark } from '../../ui/state-mark.tsx';
import { TraceLink } from '../traces/trace-link.tsx';
import styles from './tools.module.css';

/** The result of a call of the tool. */
export interface ToolRun {
  readonly traceId: string;
  readonly input: unknown;
  readonly durationMs: number;
  readonly result?: unknown;
  readonly error?: Error;
}

/** The calls that were made on this page, the newest first. */
export function ToolResult({
  isRunning,
  outputSchema,
  runs,
}: {
  readonly runs: readonly ToolRun[];
  readonly isRunning: boolean;
  readonly outputSchema: unknown;
}): ReactNode {
  return (
    <>
      <div className={styles.resultHead}>
        <h2>Results</h2>
        <span role="status">{isRunning && <StateMark state="running" />}</span>
      </div>
      {runs.length === 0 && !isRunning && (
        <p className={styles.nothing}>
          Nothing was run yet. Fill in the form and run the tool: its result stands here, with a link to its trace.
          {outputSchema !== null && ' The result has a schema, which the server checks.'}
        </p>
      )}
      <ol className={styles.results}>
        {runs.map((run, index) => (
          <li key={run.traceId}>
            <div className={styles.resultHead}>
              <StateMark state={run.error === undefined ? 'completed' : 'error'} />
              <span className={styles.duration}>{formatDuration(run.durationMs)}</span>
              {hasTrace(run) && <TraceLink traceId={run.traceId}>Trace</TraceLink>}
            </div>
            {run.error === undefined ? (
              <JsonView label={`Result ${runs.length - index}`} value={run.result} depth={4} />
            ) : (
              <p className={styles.failure} role={index === 0 ? 'alert' : undefined}>
                {run.error.message}
              </p>
            )}
            {index > 0 && <JsonView label={`Input ${runs.length - index}`} value={run.input} depth={1} />}
          </li>
        ))}
      </ol>
    </>
  );
}

/** Requests that the server refuses run nothing. */
function hasTrace({ error }: ToolRun): boolean {
  return !(error instanceof ApiError) || error.status >= 500;
}
