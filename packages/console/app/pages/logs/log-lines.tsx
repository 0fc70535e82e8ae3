import { Link } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { classes } from '../../ui/classes.ts';
import { formatDateTime, formatLogTime } from '../../ui/format.ts';
import { JsonView } from '../../ui/json-view.tsx';
import type { LogEntry } from './use-log-tail.ts';
import styles from './log-lines.module.css';

const rowHeight = 26;
/** Within this distance from the end, the list stays at its end when lines arrive. */
const endPixels = 60;

/** Lines, oldest first. A line opens to show all its fields. */
export function LogLines({
  lines,
  isFollowing,
}: {
  readonly lines: readonly LogEntry[];
  readonly isFollowing: boolean;
}): ReactNode {
  const scroller = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  const [open, setOpen] = useState<LogEntry>();
  const virtualizer = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 20,
  });
  useEffect(() => {
    if (isFollowing && isAtEnd.current && lines.length > 0)
      virtualizer.scrollToIndex(lines.length - 1, { align: 'end' });
  }, [isFollowing, lines, virtualizer]);
  const onScroll = (): void => {
    const { current } = scroller;
    if (current !== null) isAtEnd.current = current.scrollHeight - current.scrollTop - current.clientHeight < endPixels;
  };
  return (
    <div
      ref={scroller}
      className={styles.scroller}
      role="log"
      aria-label="Log lines"
      aria-live="off"
      onScroll={onScroll}
    >
      <div className={styles.content} style={{ height: virtualizer.getTotalSize() }}>
        {virtualizer.getVirtualItems().map(({ index, start }) => {
          const line = lines[index];
          if (line === undefined) return null;
          const isOpen = line === open;
          return (
            <div
              key={index}
              ref={virtualizer.measureElement}
              data-index={index}
              className={classes(styles.line, isOpen && styles.opened)}
              style={{ transform: `translateY(${start}px)` }}
            >
              <button type="button" aria-expanded={isOpen} onClick={() => setOpen(isOpen ? undefined : line)}>
                <time title={formatDateTime(line.timestamp)}>{formatLogTime(line.timestamp)}</time>
                <b className={styles[line.level]}>{line.level}</b>
                <span className={styles.message} dir="auto">
                  {line.msg}
                </span>
                <span className={styles.fields}>{readFields(line)}</span>
              </button>
              {isOpen && (
                <div className={styles.detail}>
                  {line.traceId !== undefined && (
                    <Link
                      to="/traces/$traceId"
                      params={{ traceId: line.traceId }}
                      search={line.spanId === undefined ? {} : { span: line.spanId }}
                    >
                      Open the trace
                    </Link>
                  )}
                  <JsonView label="fields" value={line} depth={1} />
                </div>
              )}
            </div>
          );
        })}
      </div>
    </div>
  );
}

const shown = new Set(['timestamp', 'level', 'msg', 'requestId', 'traceId', 'spanId', 'pid', 'hostname', 'component']);

/** The fields beside the message, in one line. */
function readFields(line: LogEntry): string {
  return Object.entries(line)
    .filter(([name, value]) => !shown.has(name) && value !== undefined)
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join('  ')
    .slice(0, 400);
}
