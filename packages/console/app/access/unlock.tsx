import { type ReactNode, type SubmitEvent, useState } from 'react';
import { queryClient } from '../api/query-client.ts';
import { Button } from '../ui/button.tsx';
import { currentCredential, enterCredential } from './credential.ts';
import { readIdentity } from './read-identity.ts';
import styles from './unlock.module.css';

/**
 * Asks for the console key, or for a user's token, when the server accepts neither none nor what
 * was entered.
 */
export function Unlock(): ReactNode {
  const [kind, setKind] = useState<'key' | 'token'>('key');
  const wasRefused = currentCredential() !== undefined;
  const enter = async (form: HTMLFormElement): Promise<void> => {
    const entered = new FormData(form).get('value');
    const value = typeof entered === 'string' ? entered.trim() : '';
    if (value === '') return;
    const identity = await readIdentity({ kind, value });
    // Requests that are tried again would be sent with the new credential.
    queryClient.clear();
    enterCredential({ kind, value }, identity);
  };
  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    void enter(event.currentTarget);
  };
  return (
    <main className={styles.unlock}>
      <form onSubmit={submit}>
        <svg viewBox="0 0 32 32" aria-hidden="true">
          <path d="M15 3v20H5zM17 8l9 15h-9zM3 25h26l-4 4H7z" />
        </svg>
        <h1>Halyard console</h1>
        <fieldset>
          <legend>Open the console with</legend>
          <label>
            <input type="radio" name="kind" checked={kind === 'key'} onChange={() => setKind('key')} />
            <span>
              <b>the console key</b> everything on this server
            </span>
          </label>
          <label>
            <input type="radio" name="kind" checked={kind === 'token'} onChange={() => setKind('token')} />
            <span>
              <b>a user’s token</b> the data of this user, and what the user’s roles open
            </span>
          </label>
        </fieldset>
        <label className={styles.value}>
          {kind === 'key' ? 'Console key' : 'Token'}
          <input name="value" type="password" autoComplete="off" autoFocus required aria-describedby="unlock-hint" />
        </label>
        {wasRefused && <p role="alert">The server does not accept what you entered.</p>}
        <Button type="submit" look="main">
          Open the console
        </Button>
        <p id="unlock-hint">
          {kind === 'key' ? (
            <>
              The key is in the server’s environment variable <code>SERVICE_CONSOLE_ACCESS_KEY</code>. This tab
              remembers it until you close it.
            </>
          ) : (
            'A token as your app gives it to its users. This tab remembers it until you close it.'
          )}
        </p>
      </form>
    </main>
  );
}
