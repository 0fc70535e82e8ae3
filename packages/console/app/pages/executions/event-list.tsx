import { type ReactNode, useState } from 'react';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { formatClock } from '../../ui/format.ts';
import { JsonView } from '../../ui/json-view.tsx';
import { EmptyState } from '../../ui/notice.tsx';
import { SidePanel, Split } from '../../ui/side-panel.tsx';
import type { StoredEvent } from './execution-events.ts';
import styles from './execution.module.css';

/** Every stored event, as clients of the stream get them. */
export function EventList({ events }: { readonly events: readonly StoredEvent[] }): ReactNode {
  const [seq, setSeq] = useState<number>();
  const selected = events.find((event) => event.seq === seq);
  const columns: readonly Column<StoredEvent>[] = [
    { name: 'No.', width: '2.5rem', isNumber: true, cell: (event) => event.seq },
    {
      name: 'Event',
      width: 'minmax(7rem, 1fr)',
      cell: (event) => (
        <button type="button" className={styles.event} onClick={() => setSeq(event.seq)}>
          {event.type}
        </button>
      ),
    },
    { name: 'From', width: 'minmax(3rem, 1fr)', cell: ({ from }) => from },
    { name: 'What', width: 'minmax(3rem, 2fr)', isSecondary: true, cell: (event) => describe(event) },
    { name: 'Time', width: '4.5rem', isNumber: true, cell: ({ timestamp }) => formatClock(timestamp) },
  ];
  if (events.length === 0)
    return <EmptyState title="Nothing has happened yet">Events appear here as they happen.</EmptyState>;
  return (
    <Split>
      <div className={styles.list}>
        <DataTable
          label="Events"
          columns={columns}
          rows={events}
          rowKey={(event) => String(event.seq)}
          total={events.length}
          isSelected={(event) => event.seq === seq}
        />
      </div>
      {selected !== undefined && (
        <SidePanel
          title={`${selected.seq}: ${selected.type}`}
          label={`Event ${selected.seq}`}
          closeLabel="Close the event"
          onClose={() => setSeq(undefined)}
        >
          <JsonView value={selected} label="Event" />
        </SidePanel>
      )}
    </Split>
  );
}

const common = new Set(['type', 'seq', 'executionId', 'from', 'timestamp', 'stepType', 'stepIndex']);

function describe(event: StoredEvent): string {
  const fields = Object.entries(event).filter(([name]) => !common.has(name));
  return fields
    .map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
    .join(', ')
    .slice(0, 300);
}
