import type { ReactNode } from 'react';
import { formatBytes, formatCount, formatDuration } from '../../ui/format.ts';
import styles from './system.module.css';

/** The limits in force. Each one is an option of the server: `limits: { bodyBytes: 2_000_000 }`. */
export function LimitList({ limits }: { readonly limits: Readonly<Record<string, number>> }): ReactNode {
  return (
    <>
      <p className={styles.about}>
        Each is an option of the server: <code>{'createServer({ limits: { … } })'}</code>
      </p>
      <div className={styles.scroll}>
        <table className={styles.table}>
          <thead>
            <tr>
              <th>Limit</th>
              <th className={styles.number}>Value</th>
            </tr>
          </thead>
          <tbody>
            {Object.entries(limits).map(([name, value]) => (
              <tr key={name}>
                <td>
                  <code>{name}</code>
                </td>
                <td className={styles.number}>{written(name, value)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

function written(name: string, value: number): string {
  if (/Bytes/.test(name)) return formatBytes(value);
  return name.endsWith('Ms') ? formatDuration(value) : formatCount(value);
}
