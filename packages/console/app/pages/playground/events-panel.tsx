import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { Button } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { formatDuration } from '../../ui/format.ts';
import { JsonView } from '../../ui/json-view.tsx';
import type { EventLog } from './event-log.ts';
import styles from './panel.module.css';

const rowHeight = 28;

/** The raw event stream: what went over the wire, as it arrives. */
export function EventsPanel({ log }: { readonly log: EventLog }): ReactNode {
  const { events } = useSyncExternalStore(log.subscribe, log.snapshot);
  const [selected, setSelected] = useState<number>();
  const scroller = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  const virtualizer = useVirtualizer({
    count: events.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 20,
  });
  useEffect(() => {
    if (isAtEnd.current && events.length > 0) virtualizer.scrollToIndex(events.length - 1);
  }, [events.length, virtualizer]);
  const shown = events.find(({ index }) => index === selected);
  if (events.length === 0)
    return (
      <p className={styles.nothing}>Send a message: each event of the answer stands here as the server sent it.</p>
    );
  return (
    <div className={styles.events}>
      <div className={styles.eventsHead}>
        <span>{events.length} events</span>
        <CopyButton text={events.map(({ data }) => JSON.stringify(data)).join('\n')} label="Copy all events" />
        <Button look="quiet" onClick={() => log.clear()}>
          Clear
        </Button>
      </div>
      <div
        ref={scroller}
        className={styles.eventList}
        role="list"
        aria-label="Events"
        tabIndex={-1}
        onScroll={({ currentTarget: { clientHeight, scrollHeight, scrollTop } }) => {
          isAtEnd.current = scrollHeight - scrollTop - clientHeight < 2 * rowHeight;
        }}
      >
        <div className={styles.eventContent} style={{ height: virtualizer.getTotalSize() }}>
          {virtualizer.getVirtualItems().map(({ index, start }) => {
            const event = events[index];
            if (event === undefined) return null;
            const isRequest = event.type === 'request';
            return (
              <div key={event.index} role="listitem" style={{ transform: `translateY(${start}px)` }}>
                <button
                  type="button"
                  className={classes(styles.event, isRequest && styles.request)}
                  aria-pressed={event.index === selected}
                  onClick={() => setSelected(event.index === selected ? undefined : event.index)}
                >
                  <span className={styles.at}>{isRequest ? 'sent' : formatDuration(Math.round(event.at))}</span>
                  <span className={styles.type}>{event.type}</span>
                  <span className={styles.data}>{isRequest ? '' : JSON.stringify(event.data)}</span>
                </button>
              </div>
            );
          })}
        </div>
      </div>
      {shown && (
        <div className={styles.eventDetail}>
          <JsonView key={shown.index} label={`Event ${shown.type}`} value={shown.data} depth={4} />
        </div>
      )}
    </div>
  );
}
