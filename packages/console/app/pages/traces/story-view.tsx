import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { formatCost, formatCount, formatDuration } from '../../ui/format.ts';
import { StateMark } from '../../ui/state-mark.tsx';
import { KindMark } from './kind-mark.tsx';
import { SpanInspector, type SpanTab } from './span-inspector.tsx';
import { StoryConversation } from './story-conversation.tsx';
import type { StoryLine } from './story.ts';
import type { useStory } from './use-story.ts';
import styles from './story-view.module.css';

interface StoryViewProps {
  readonly story: ReturnType<typeof useStory>;
  /** The span whose details are shown. */
  readonly selected: string | undefined;
  readonly onSelect: (spanId: string | undefined) => void;
  readonly tab: string | undefined;
  readonly onTab: (name: SpanTab) => void;
}

/** More lines than this are shown on demand. */
const shownLines = 200;

/**
 * A run in plain words: one line for each thing that happened, and the conversation beside it. The
 * arrow keys move between the lines, and Enter opens one.
 */
export function StoryView({ story, selected, onSelect, tab, onTab }: StoryViewProps): ReactNode {
  const { conversation, lines } = story;
  const [lit, setLit] = useState<ReadonlySet<string>>(new Set());
  const [shown, setShown] = useState(shownLines);
  const list = useRef<HTMLOListElement>(null);
  const open = lines.findIndex(({ spanIds }) => selected !== undefined && spanIds.includes(selected));
  const start = open < shown ? 0 : open - shownLines / 2;
  const visible = lines.slice(start, start + shown);
  const openId = lines[open]?.id;
  useEffect(() => {
    if (openId !== undefined) list.current?.querySelector('[aria-expanded=true]')?.scrollIntoView({ block: 'nearest' });
  }, [openId]);
  const onKeyDown = (event: KeyboardEvent): void => {
    const rows = [...(list.current?.querySelectorAll<HTMLElement>('[data-line]') ?? [])];
    const at = rows.indexOf(event.target as HTMLElement);
    const next = at === -1 ? undefined : rows[nextLine(event.key, at, rows.length)];
    if (next === undefined) return;
    next.focus();
    event.preventDefault();
  };
  return (
    <div className={classes(styles.story, conversation === undefined && styles.alone)}>
      <div className={styles.scroller}>
        {start > 0 && <p className={styles.more}>{formatCount(start)} earlier lines are not shown.</p>}
        <ol ref={list} className={styles.lines} aria-label="Story" onKeyDown={onKeyDown}>
          {visible.map((line) => {
            const isOpen = line.id === openId;
            return (
              <li
                key={line.id}
                className={classes(
                  styles.line,
                  line.spanIds.some((id) => lit.has(id)) && styles.lit,
                  line.state === 'error' && styles.failed,
                  line.kind === 'memory' && line.state !== 'error' && styles.minor,
                )}
              >
                <LineButton
                  line={line}
                  isOpen={isOpen}
                  onClick={() => onSelect(isOpen ? undefined : line.span.spanId)}
                />
                {isOpen && selected !== undefined && (
                  <div className={styles.details}>
                    <SpanInspector spanId={selected} tab={tab} onTab={onTab} isNamed={selected === line.span.spanId} />
                  </div>
                )}
              </li>
            );
          })}
        </ol>
        {start + shown < lines.length && (
          <p className={styles.more}>
            <Button onClick={() => setShown(shown + 5 * shownLines)}>
              {formatCount(lines.length - start - shown)} more lines
            </Button>
          </p>
        )}
      </div>
      {conversation !== undefined && <StoryConversation {...conversation} onLight={setLit} onOpen={onSelect} />}
    </div>
  );
}

function LineButton({
  line,
  isOpen,
  onClick,
}: {
  readonly line: StoryLine;
  readonly isOpen: boolean;
  readonly onClick: () => void;
}): ReactNode {
  const { cost, depth, kind, outcome, span, state, title } = line;
  return (
    <button
      type="button"
      data-line=""
      aria-expanded={isOpen}
      className={styles.row}
      style={{ paddingInlineStart: `calc(var(--indent) + ${Math.min(depth, 8)} * 1.25rem)` }}
      onClick={onClick}
    >
      <KindMark kind={kind} />
      <span className={styles.words} dir="auto">
        <span className={styles.title}>{title}</span>{' '}
        {outcome !== undefined && (
          <span className={styles.outcome}>
            <span aria-hidden="true">→</span> {state !== 'ok' && <StateMark state={state} isShort />} {outcome}
          </span>
        )}
        {outcome === undefined && state !== 'ok' && <StateMark state={state} />}
      </span>
      <span className={styles.tokens}>{kind === 'model' && describeTokens(line)}</span>
      <span className={styles.cost}>{cost !== undefined && formatCost(cost)}</span>
      <span className={styles.time}>
        {line.spanIds.length > 0 && (span.durationMs === null ? 'running' : formatDuration(span.durationMs))}
      </span>
    </button>
  );
}

function describeTokens({ span: { attributes } }: StoryLine): ReactNode {
  const [input, output] = [attributes['gen_ai.usage.input_tokens'], attributes['gen_ai.usage.output_tokens']];
  if (typeof input !== 'number' || typeof output !== 'number') return null;
  return (
    <span title={`${formatCount(input)} tokens in, ${formatCount(output)} out`}>
      {formatCount(input)} → {formatCount(output)}
    </span>
  );
}

function nextLine(key: string, at: number, count: number): number {
  switch (key) {
    case 'ArrowDown':
      return Math.min(at + 1, count - 1);
    case 'ArrowUp':
      return Math.max(at - 1, 0);
    case 'Home':
      return 0;
    case 'End':
      return count - 1;
    default:
      return -1;
  }
}
