import type { ReactNode } from 'react';
import type { components } from '../../api/schema.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { formatCount, shortId } from '../../ui/format.ts';
import { EmptyState } from '../../ui/notice.tsx';
import { StateMark } from '../../ui/state-mark.tsx';
import { Ago } from '../../ui/time.tsx';
import styles from './system.module.css';

/** The processes that run executions of the storage, with their leases. */
export function ReplicaList({
  replicas,
}: {
  readonly replicas: components['schemas']['SystemReport']['replicas'];
}): ReactNode {
  if (replicas === null || replicas.length === 0)
    return (
      <EmptyState title={replicas === null ? 'The replicas are not known' : 'No process has a lease'}>
        {replicas === null
          ? 'The storage does not list them, or does not answer.'
          : 'A process gets one when it starts to look for executions.'}
      </EmptyState>
    );
  return (
    <>
      <p className={styles.about}>
        Each process renews its lease every few seconds. When a lease runs out, the others take its executions over.
      </p>
      <div className={styles.scroll}>
        <table className={styles.table}>
          <thead>
            <tr>
              <th>Process</th>
              <th>Lease</th>
              <th>Since</th>
              <th>Runs out</th>
              <th className={styles.number}>Executions</th>
            </tr>
          </thead>
          <tbody>
            {replicas.map(({ executions, id, isLost, isThis, leaseUntil, since }) => (
              <tr key={`${id} ${since}`}>
                <td>
                  <code title={id}>{shortId(id)}</code>
                  <CopyButton text={id} label="Copy the name of the process" />
                  {isThis && ' this process'}
                </td>
                <td>
                  <StateMark state={isLost ? 'error' : 'ok'} word={isLost ? 'lost' : 'valid'} />
                </td>
                <td>
                  <Ago time={since} />
                </td>
                <td>
                  <Ago time={leaseUntil} />
                </td>
                <td className={styles.number}>{formatCount(executions)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}
