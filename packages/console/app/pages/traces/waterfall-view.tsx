import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, type ReactNode, useRef } from 'react';
import { classes } from '../../ui/classes.ts';
import { formatCount, formatDuration } from '../../ui/format.ts';
import { Icon } from '../../ui/icons.tsx';
import { StateMark } from '../../ui/state-mark.tsx';
import { KindLegend, KindMark } from './kind-mark.tsx';
import { chooseTicks, kindOf, nameOf, type SpanRow, type Waterfall } from './span-rows.ts';
import styles from './waterfall-view.module.css';

interface WaterfallViewProps {
  readonly waterfall: Waterfall;
  readonly collapsed: ReadonlySet<string>;
  readonly selected: string | undefined;
  readonly onSelect: (spanId: string) => void;
  readonly onToggle: (spanId: string) => void;
}

const rowHeight = 28;
/** The time axis stays at the top while the spans scroll. */
const axisHeight = 30;

/** Spans as bars over time, as a tree. Arrow keys move, and fold and unfold, as in a file tree. */
export function WaterfallView({ waterfall, collapsed, selected, onSelect, onToggle }: WaterfallViewProps): ReactNode {
  const { end, rows, start } = waterfall;
  const scroller = useRef<HTMLDivElement>(null);
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 16,
    scrollPaddingStart: axisHeight,
  });
  const at = Math.max(
    rows.findIndex(({ span }) => span.spanId === selected),
    0,
  );
  const onKeyDown = (event: KeyboardEvent): void => {
    const row = rows[at];
    if (row === undefined) return;
    const { childCount, span } = row;
    const isFolded = collapsed.has(span.spanId);
    if (event.key === 'ArrowRight' && childCount > 0 && isFolded) onToggle(span.spanId);
    else if (event.key === 'ArrowLeft' && childCount > 0 && !isFolded) onToggle(span.spanId);
    else {
      const next = rows[nextRow(event.key, at, rows)];
      if (next === undefined || next === row) return;
      onSelect(next.span.spanId);
      virtualizer.scrollToIndex(rows.indexOf(next));
    }
    event.preventDefault();
  };

  const duration = end - start;
  const position = (time: number): string => `${((time - start) / duration) * 100}%`;
  return (
    <div className={styles.waterfall}>
      <div
        ref={scroller}
        className={styles.scroller}
        role="tree"
        aria-label="Spans"
        aria-activedescendant={`span-${rows[at]?.span.spanId}`}
        tabIndex={0}
        onKeyDown={onKeyDown}
      >
        <div className={styles.axis} aria-hidden="true">
          <span>Span</span>
          <div>
            {chooseTicks(duration).map((tick) => (
              <span key={tick} style={{ left: `${(tick / duration) * 100}%` }}>
                {tick === 0 ? '0' : formatDuration(tick)}
              </span>
            ))}
          </div>
        </div>
        <div className={styles.content} style={{ height: virtualizer.getTotalSize() }}>
          {virtualizer.getVirtualItems().map(({ index, start: top }) => {
            const row = rows[index];
            if (row === undefined) return null;
            const { childCount, depth, span } = row;
            const isFolded = collapsed.has(span.spanId);
            return (
              <div
                key={span.spanId}
                id={`span-${span.spanId}`}
                role="treeitem"
                aria-level={depth + 1}
                aria-selected={index === at}
                {...(childCount > 0 && { 'aria-expanded': !isFolded })}
                className={classes(styles.row, index === at && styles.selected)}
                style={{ transform: `translateY(${top}px)` }}
                onClick={() => onSelect(span.spanId)}
              >
                <span className={styles.name} style={{ paddingLeft: `${Math.min(depth, 12) * 0.875}rem` }}>
                  {childCount > 0 ? (
                    <button
                      type="button"
                      tabIndex={-1}
                      aria-label={isFolded ? 'Unfold' : 'Fold'}
                      className={classes(styles.fold, !isFolded && styles.unfolded)}
                      onClick={() => onToggle(span.spanId)}
                    >
                      <Icon name="chevron" size={12} />
                    </button>
                  ) : (
                    <span className={styles.fold} />
                  )}
                  <KindMark kind={kindOf(span)} />
                  {span.status.code === 2 && <StateMark state="error" isShort />}
                  <span className={styles.text}>{nameOf(span)}</span>
                  <Tokens span={span} />
                </span>
                <span className={styles.track}>
                  <Bar
                    row={row}
                    left={position(row.start)}
                    width={`max(3px, ${((row.end - row.start) / duration) * 100}%)`}
                    isLate={(row.start - start) / duration > 0.75}
                  />
                </span>
              </div>
            );
          })}
        </div>
      </div>
      <KindLegend kinds={new Set(rows.map(({ span }) => kindOf(span)))} />
    </div>
  );
}

/** The tokens of a model call. */
function Tokens({ span: { attributes } }: Pick<SpanRow, 'span'>): ReactNode {
  const [input, output] = [attributes['gen_ai.usage.input_tokens'], attributes['gen_ai.usage.output_tokens']];
  if (attributes['gen_ai.operation.name'] !== 'chat' || typeof input !== 'number' || typeof output !== 'number')
    return null;
  return (
    <span className={styles.tokens} title={`${formatCount(input)} tokens in, ${formatCount(output)} out`}>
      {formatCount(input)} → {formatCount(output)}
    </span>
  );
}

function Bar({
  row,
  left,
  width,
  isLate,
}: {
  readonly row: SpanRow;
  readonly left: string;
  readonly width: string;
  readonly isLate: boolean;
}): ReactNode {
  const { span } = row;
  return (
    <span
      className={classes(
        styles.bar,
        styles[kindOf(span)],
        span.status.code === 2 && styles.failed,
        span.durationMs === null && styles.open,
      )}
      style={{ left, width }}
    >
      <span className={classes(styles.duration, isLate && styles.before)}>
        {span.durationMs === null ? 'running' : formatDuration(span.durationMs)}
      </span>
    </span>
  );
}

function nextRow(key: string, at: number, rows: readonly SpanRow[]): number {
  switch (key) {
    case 'ArrowDown':
    case 'ArrowRight':
      return Math.min(at + 1, rows.length - 1);
    case 'ArrowUp':
      return Math.max(at - 1, 0);
    case 'ArrowLeft': {
      const depth = rows[at]?.depth ?? 0;
      return rows.findLastIndex((row, index) => index < at && row.depth < depth);
    }
    case 'Home':
      return 0;
    case 'End':
      return rows.length - 1;
    default:
      return at;
  }
}
