import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { components } from '../../api/schema.ts';
import { EmptyState } from '../../ui/notice.tsx';
import { Ago } from '../../ui/time.tsx';
import styles from './system.module.css';

type Schedules = components['schemas']['SystemReport']['schedules'];

export function ScheduleList({ schedules }: { readonly schedules: Schedules }): ReactNode {
  if (schedules.length === 0) {
    return (
      <EmptyState title="No workflow has a schedule" snippet={example}>
        A schedule starts a workflow at fixed times, once for all replicas together.
      </EmptyState>
    );
  }
  return (
    <div className={styles.scroll}>
      <table className={styles.table}>
        <thead>
          <tr>
            <th>Workflow</th>
            <th>Schedule</th>
            <th>Time zone</th>
            <th>Missed</th>
            <th>Next</th>
          </tr>
        </thead>
        <tbody>
          {schedules.map(({ cron, missed, name, nextAt, timeZone, workflowId }) => (
            <tr key={`${workflowId} ${name}`}>
              <td>
                <Link to="/workflows/$workflowId" params={{ workflowId }}>
                  {workflowId}
                </Link>
              </td>
              <td>
                <code>{cron}</code> {name === 'schedule' ? '' : name}
              </td>
              <td>{timeZone}</td>
              <td>{missed === 'once' ? 'made up for once' : 'skipped'}</td>
              <td>{nextAt === null ? 'never' : <Ago time={nextAt} />}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const example = `createWorkflow({ id: 'digest' })
  .andThen({ id: 'send', execute: sendDigest })
  .schedule({ cron: '0 6 * * 1-5', timeZone: 'Europe/Berlin' });`;
