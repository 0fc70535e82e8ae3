import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api, readData } from '../../api/client.ts';
import { CodeBlock } from '../../ui/code-block.tsx';
import { EmptyState, ErrorState, Loading } from '../../ui/notice.tsx';
import styles from './system.module.css';

/**
 * Newer versions of the Halyard packages of the app. Installing them is left to the person: it
 * changes the app's files.
 */
export function UpdateList(): ReactNode {
  const { data, error, refetch } = useQuery({
    queryKey: ['system', 'updates'],
    staleTime: 10 * 60_000,
    queryFn: ({ signal }) => readData(api.GET('/updates', { signal })),
  });
  if (error !== null) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Loading what="the versions" />;
  if (!data.hasUpdates) return <EmptyState title={data.message} />;
  return (
    <>
      <div className={styles.scroll}>
        <table className={styles.table}>
          <thead>
            <tr>
              <th>Package</th>
              <th>Installed</th>
              <th>Latest</th>
              <th>Kind</th>
            </tr>
          </thead>
          <tbody>
            {data.updates.map(({ installed, latest, name, type }) => (
              <tr key={name}>
                <td>
                  <code>{name}</code>
                </td>
                <td>{installed}</td>
                <td>{latest}</td>
                <td>{type}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <CodeBlock label="Command" code={`npm install ${data.updates.map(({ name }) => `${name}@latest`).join(' ')}`} />
    </>
  );
}
