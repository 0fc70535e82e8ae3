import type { ReactNode } from 'react';
import { forgetCredential, ownUserId, useConsoleLevel, useCredential } from '../access/credential.ts';
import { queryClient } from '../api/query-client.ts';
import styles from './identity.module.css';

/** As whom the console reads, and a way to leave. */
export function Identity(): ReactNode {
  const credential = useCredential();
  const level = useConsoleLevel();
  if (credential === undefined) return null;
  const leave = (): void => {
    forgetCredential();
    queryClient.clear();
    location.reload();
  };
  return (
    <p className={styles.identity}>
      {credential.kind === 'key' ? 'Console key' : level === undefined ? 'User token' : `${ownUserId()}, ${level}`}
      <button type="button" onClick={leave}>
        Forget
      </button>
    </p>
  );
}
