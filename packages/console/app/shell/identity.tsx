import type { ReactNode } from 'react';
import { forgetCredential, useCredential } from '../access/credential.ts';
import { queryClient } from '../api/query-client.ts';
import styles from './identity.module.css';

/** As whom the console reads, and a way to leave. */
export function Identity(): ReactNode {
  const credential = useCredential();
  if (credential === undefined) return null;
  const leave = (): void => {
    forgetCredential();
    queryClient.clear();
    location.reload();
  };
  return (
    <p className={styles.identity}>
      {credential.kind === 'key' ? 'Console key' : 'User token'}
      <button type="button" onClick={leave}>
        Forget
      </button>
    </p>
  );
}
