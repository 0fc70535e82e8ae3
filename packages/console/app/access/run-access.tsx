import { useQuery } from '@tanstack/react-query';
import { type ReactNode, type SubmitEvent, useId, useState } from 'react';
import { runApi, readRunData } from '../api/run-client.ts';
import { Button } from '../ui/button.tsx';
import { useCredential } from './credential.ts';
import { enterRunToken, useIsRunRefused, useRunToken } from './run-credential.ts';
import styles from './run-access.module.css';

/**
 * Says for whom the page runs something where this is not obvious, and asks for a user's token
 * where the server wants one: the console key opens only what operators read. Shows nothing while
 * requests are accepted without.
 */
export function RunAccess({ onEntered }: { readonly onEntered?: () => void }): ReactNode {
  const credential = useCredential();
  const token = useRunToken();
  const isRefused = useIsRunRefused();
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  useProbe(credential?.kind === 'key' || token !== undefined, token);
  if (credential?.kind === 'token') return null;
  if (!isRefused && token === undefined) return null;
  if (!isRefused && !isOpen) {
    return (
      <p className={styles.bar}>
        <span>Requests of this page are sent with a user’s token.</span>
        <Button look="quiet" onClick={() => setOpen(true)}>
          Change
        </Button>
        <Button look="quiet" onClick={() => enterRunToken(undefined)}>
          Forget the token
        </Button>
      </p>
    );
  }
  const enter = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const entered = new FormData(event.currentTarget).get('token');
    if (typeof entered !== 'string' || entered.trim() === '') return;
    enterRunToken(entered.trim());
    setOpen(false);
    onEntered?.();
  };
  return (
    <form className={styles.form} onSubmit={enter} {...(isRefused && { role: 'alert' })}>
      <h2>{token === undefined ? 'Running this needs a user’s token' : 'The server does not accept this token'}</h2>
      <p id={`${id}-hint`}>
        The console key names no user, and this acts for one. Paste a token as your app gives it to its users. This tab
        remembers it until you close it. On your own machine, start the server with <code>NODE_ENV=development</code>{' '}
        and none is needed.
      </p>
      <div className={styles.row}>
        <label htmlFor={id}>Token</label>
        <input id={id} name="token" type="password" autoComplete="off" required aria-describedby={`${id}-hint`} />
        <Button type="submit" look="main">
          Use the token
        </Button>
        {!isRefused && (
          <Button look="quiet" onClick={() => setOpen(false)}>
            Cancel
          </Button>
        )}
      </div>
    </form>
  );
}

/**
 * Asks the server once whether it accepts this token, or none, so that a person learns it before
 * they have written something.
 */
function useProbe(isNeeded: boolean, token: string | undefined): void {
  useQuery({
    queryKey: ['run-access', token],
    enabled: isNeeded,
    retry: false,
    staleTime: Infinity,
    queryFn: async ({ signal }) => {
      await readRunData(runApi.GET('/api/memory/conversations', { params: { query: { limit: 1 } }, signal }));
      return true;
    },
  });
}
