import { Link } from '@tanstack/react-router';
import { diffWordsWithSpace } from 'diff';
import { type ReactNode, type Ref, useMemo } from 'react';
import { Facts } from '../../ui/facts.tsx';
import { formatCost, formatCount, formatDuration } from '../../ui/format.ts';
import { JsonView } from '../../ui/json-view.tsx';
import type { RecordedReply, TrialResult } from './trial-draft.ts';
import styles from './trial.module.css';

/** The recorded reply and the new one, side by side. Words that differ are marked. */
export function TrialComparison({
  recorded,
  trial,
  traceId,
  isRunning,
  ref,
}: {
  readonly ref: Ref<HTMLDivElement>;
  readonly recorded: RecordedReply;
  readonly trial: TrialResult | undefined;
  readonly traceId: string | undefined;
  readonly isRunning: boolean;
}): ReactNode {
  const changes = useMemo(
    () => (trial === undefined ? undefined : diffWordsWithSpace(recorded.text, trial.text)),
    [recorded.text, trial],
  );
  const costs = trial === undefined ? undefined : describeChange(recorded.cost, trial.cost);
  return (
    <div className={styles.sides} ref={ref}>
      <section className={styles.side} aria-label="Recorded">
        <h2>Recorded</h2>
        {recorded.error !== undefined && <p className={styles.problem}>{recorded.error}</p>}
        <Text isEmpty={recorded.text === ''}>
          {changes === undefined
            ? recorded.text
            : changes.map(({ added, removed, value }, at) =>
                added ? null : removed ? <del key={at}>{value}</del> : value,
              )}
        </Text>
        <Calls calls={recorded.toolCalls} />
        <Facts
          facts={{
            Model: recorded.model,
            Tokens: describeTokens(recorded.inputTokens, recorded.outputTokens),
            Cost: recorded.cost === null ? 'unknown' : formatCost(recorded.cost),
            Duration: recorded.durationMs === undefined ? undefined : formatDuration(recorded.durationMs),
          }}
        />
      </section>
      <section className={styles.side} aria-label="New" aria-live="polite">
        <h2>New</h2>
        {isRunning ? (
          <p className={styles.note}>The model is working …</p>
        ) : trial === undefined || changes === undefined ? (
          <p className={styles.note}>Change something below, and run it. Tools are not run.</p>
        ) : (
          <>
            <Text isEmpty={trial.text === ''}>
              {changes.map(({ added, removed, value }, at) =>
                removed ? null : added ? <ins key={at}>{value}</ins> : value,
              )}
            </Text>
            <Calls calls={trial.toolCalls} />
            <Facts
              facts={{
                Model: trial.model,
                Tokens: describeTokens(trial.usage.promptTokens, trial.usage.completionTokens),
                Cost: `${trial.cost === null ? 'unknown' : formatCost(trial.cost)}${costs ?? ''}`,
                Duration: formatDuration(trial.durationMs),
                Trace: traceId !== undefined && (
                  <Link to="/traces/$traceId" params={{ traceId }}>
                    Show
                  </Link>
                ),
              }}
            />
          </>
        )}
      </section>
    </div>
  );
}

function Text({ children, isEmpty }: { readonly isEmpty: boolean; readonly children: ReactNode }): ReactNode {
  return (
    <p className={styles.text} dir="auto">
      {children}
      {isEmpty && <span className={styles.note}>No text</span>}
    </p>
  );
}

function Calls({ calls }: { readonly calls: TrialResult['toolCalls'] }): ReactNode {
  return calls.map(({ input, toolCallId, toolName }) => (
    <div key={toolCallId} className={styles.call}>
      <h3>calls {toolName}</h3>
      <JsonView label={`arguments of ${toolName}`} value={input} />
    </div>
  ));
}

function describeTokens(input: number | undefined, output: number | undefined): string | undefined {
  return input === undefined || output === undefined
    ? undefined
    : `${formatCount(input)} in, ${formatCount(output)} out`;
}

/** ` (−40 %)`; nothing where one of the two is not known. */
function describeChange(before: number | null, after: number | null): string | undefined {
  if (before === null || after === null || before === 0) return undefined;
  const percent = Math.round((after / before - 1) * 100);
  return percent === 0 ? ' (the same)' : ` (${percent > 0 ? '+' : '−'}${Math.abs(percent)} %)`;
}
