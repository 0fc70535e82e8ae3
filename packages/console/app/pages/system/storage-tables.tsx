import type { ReactNode } from 'react';
import type { components } from '../../api/schema.ts';
import { formatBytes, formatCount } from '../../ui/format.ts';
import { EmptyState } from '../../ui/notice.tsx';
import styles from './system.module.css';

/** The size of the storage on disk, by table. */
export function StorageTables({
  size,
}: {
  readonly size: components['schemas']['SystemReport']['storage']['size'];
}): ReactNode {
  if (size === null)
    return (
      <EmptyState title="The storage reports no size">
        A storage in memory has none on disk. One in a database reports it when the database answers.
      </EmptyState>
    );
  return (
    <>
      <p className={styles.about}>
        {formatBytes(size.bytes)} on disk, with indexes. The database estimates the rows once it has analysed a table.
      </p>
      <div className={styles.scroll}>
        <table className={styles.table}>
          <thead>
            <tr>
              <th>Table</th>
              <th className={styles.number}>Size</th>
              <th className={styles.number}>Rows</th>
            </tr>
          </thead>
          <tbody>
            {size.tables.map(({ bytes, name, rows }) => (
              <tr key={name}>
                <td>
                  <code>{name}</code>
                </td>
                <td className={styles.number}>{formatBytes(bytes)}</td>
                <td className={styles.number}>{rows === null ? '–' : formatCount(rows)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}
