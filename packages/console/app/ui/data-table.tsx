import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, type ReactNode, useEffect, useRef } from 'react';
import { classes } from './classes.ts';
import { useIsNarrow } from './use-is-narrow.ts';
import styles from './data-table.module.css';

export interface Column<Row> {
  readonly name: string;
  /** The width as a track of a CSS grid: `8rem`, `minmax(12rem, 2fr)`. */
  readonly width: string;
  readonly isNumber?: boolean;
  /** Hidden on narrow screens. */
  readonly isSecondary?: boolean;
  /** Shown below the other cells, over the whole width: on narrow screens only, or on all. */
  readonly below?: 'narrow' | 'always';
  readonly cell: (row: Row) => ReactNode;
}

export interface TableSelection<Row> {
  readonly isChecked: (row: Row) => boolean;
  readonly onToggle: (row: Row) => void;
  readonly areAllChecked: boolean;
  readonly onToggleAll: () => void;
}

interface DataTableProps<Row> {
  /** The contents of the table, for screen readers. */
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string;
  /** How many rows match in all; undefined while this is unknown. */
  readonly total?: number | undefined;
  /** Called when the last rows come into view and more can be read. */
  readonly onEnd?: (() => void) | undefined;
  readonly isLoadingMore?: boolean;
  /** Adds a checkbox to each row, and one for all that are loaded. */
  readonly selection?: TableSelection<Row> | undefined;
  /** Called with the first and the last row in view. Pass a stable function. */
  readonly onRange?: ((first: number, last: number) => void) | undefined;
  /** Whether the row belongs to what the page shows beside the table. */
  readonly isSelected?: (row: Row) => boolean;
}

const rowHeight = 36;
const twoLineHeight = 56;
/** The head stays at the top of the rows while they scroll. */
const headHeight = 30;

/**
 * A virtual table: only the rows in view are in the document. The first cell of a row contains its
 * link, which covers the row; the arrow keys, Home and End move between rows.
 */
export function DataTable<Row>({
  label,
  columns,
  rows,
  rowKey,
  total,
  onEnd,
  isLoadingMore = false,
  isSelected,
  selection,
  onRange,
}: DataTableProps<Row>): ReactNode {
  const scroller = useRef<HTMLDivElement>(null);
  const isNarrow = useIsNarrow();
  const isBelow = ({ below }: Column<Row>): boolean => below === 'always' || (below === 'narrow' && isNarrow);
  const height = columns.some(isBelow) ? twoLineHeight : rowHeight;
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    overscan: 12,
    scrollPaddingStart: headHeight,
  });
  useEffect(() => virtualizer.measure(), [height, virtualizer]);
  const items = virtualizer.getVirtualItems();
  const last = items.at(-1)?.index ?? -1;
  useEffect(() => {
    if (rows.length > 0 && last >= rows.length - 20) onEnd?.();
  }, [last, rows.length, onEnd]);

  const first = items[0]?.index ?? 0;
  useEffect(() => onRange?.(first, last), [first, last, onRange]);

  const moveTo = (index: number): void => {
    virtualizer.scrollToIndex(index);
    requestAnimationFrame(() => scroller.current?.querySelector<HTMLElement>(`[data-index="${index}"] a`)?.focus());
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const row = (event.target as HTMLElement).closest('[data-index]');
    if (row === null) return;
    const next = nextIndex(event.key, Number(row.getAttribute('data-index')), rows.length);
    if (next === undefined) return;
    event.preventDefault();
    moveTo(next);
  };

  const check = selection === undefined ? '' : 'var(--check) ';
  const tracks = columns.filter((column) => !isBelow(column) && !(isNarrow && column.isSecondary === true));
  const size = {
    '--columns': `${check}${tracks.map(({ width }) => width).join(' ')}`,
    '--height': `${height}px`,
  };
  return (
    <div
      className={styles.table}
      role="table"
      aria-label={label}
      aria-rowcount={total ?? rows.length}
      style={size as Record<string, string>}
    >
      <div className={styles.scroller} ref={scroller} onKeyDown={onKeyDown}>
        <div className={styles.head} role="rowgroup">
          <div className={styles.row} role="row">
            {selection && (
              <span role="columnheader" className={styles.check}>
                <label>
                  <input
                    type="checkbox"
                    aria-label="Select all loaded rows"
                    checked={selection.areAllChecked}
                    onChange={selection.onToggleAll}
                  />
                </label>
              </span>
            )}
            {tracks.map(({ isNumber, name }) => (
              <span key={name} role="columnheader" className={classes(styles.cell, isNumber && styles.number)}>
                {name}
              </span>
            ))}
          </div>
        </div>
        <div className={styles.content} role="rowgroup" style={{ height: virtualizer.getTotalSize() }}>
          {items.map(({ index, start }) => {
            const row = rows[index];
            if (row === undefined) return null;
            return (
              <div
                key={rowKey(row)}
                role="row"
                data-index={index}
                aria-rowindex={index + 1}
                aria-current={isSelected?.(row) === true || undefined}
                className={classes(styles.row, styles.item, isSelected?.(row) === true && styles.selected)}
                style={{ transform: `translateY(${start}px)` }}
              >
                {selection && (
                  <span role="cell" className={styles.check}>
                    <label>
                      <input
                        type="checkbox"
                        aria-label={`Select row ${index + 1}`}
                        checked={selection.isChecked(row)}
                        onChange={() => selection.onToggle(row)}
                      />
                    </label>
                  </span>
                )}
                {tracks.map(({ cell, isNumber, name }) => (
                  <span key={name} role="cell" className={classes(styles.cell, isNumber && styles.number)}>
                    {cell(row)}
                  </span>
                ))}
                {columns.filter(isBelow).map(({ cell, name }) => (
                  <span key={name} role="cell" className={classes(styles.cell, styles.below)}>
                    {cell(row)}
                  </span>
                ))}
              </div>
            );
          })}
        </div>
        {isLoadingMore && <p className={styles.more}>Loading more …</p>}
      </div>
    </div>
  );
}

function nextIndex(key: string, index: number, count: number): number | undefined {
  if (key === 'ArrowDown') return Math.min(index + 1, count - 1);
  if (key === 'ArrowUp') return Math.max(index - 1, 0);
  if (key === 'Home') return 0;
  if (key === 'End') return count - 1;
  return undefined;
}
