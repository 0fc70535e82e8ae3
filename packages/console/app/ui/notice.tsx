import type { ReactNode } from 'react';
import { useCredential } from '../access/credential.ts';
import { ApiError } from '../api/client.ts';
import { Button } from './button.tsx';
import { CodeBlock } from './code-block.tsx';
import styles from './notice.module.css';

/** Fills the place of a list that has no rows: says why, and what to do next. */
export function EmptyState({
  title,
  children,
  snippet,
  action,
}: {
  readonly title: string;
  readonly children?: ReactNode;
  readonly snippet?: string;
  /** The next thing to do, as a button or a link. */
  readonly action?: ReactNode;
}): ReactNode {
  return (
    <section className={styles.notice}>
      <svg className={styles.flag} viewBox="0 0 48 32" aria-hidden="true">
        <path d="M6 2v28" />
        <path d="M6 5c7-4 12 4 19 1s11-2 17 0v15c-6-2-10-3-17 0S13 18 6 22z" />
      </svg>
      <h2>{title}</h2>
      {children !== undefined && <p>{children}</p>}
      {action}
      {snippet !== undefined && <CodeBlock code={snippet} label="Example" />}
    </section>
  );
}

/**
 * The server's message about a failure, and a way to try again, or to leave what does not exist.
 *
 * @param back a link to the list of such things
 */
export function ErrorState({
  back,
  error,
  onRetry,
}: {
  readonly error: Error;
  readonly onRetry?: () => void;
  readonly back?: ReactNode;
}): ReactNode {
  const isUser = useCredential()?.kind === 'token';
  const isRefused = error instanceof ApiError && error.status === 401;
  const isMissing = back !== undefined && error instanceof ApiError && error.status === 404;
  return (
    <section className={styles.notice} role="alert">
      <h2>{isRefused && isUser ? 'This page needs the console key' : toTitle(error)}</h2>
      <p>{isRefused && isUser ? 'A user’s token shows the data of that user only.' : toMessage(error)}</p>
      {error instanceof ApiError && error.requestId !== undefined && (
        <p className={styles.detail}>
          Request <code>{error.requestId}</code>
        </p>
      )}
      {isMissing && <p>{back}</p>}
      {onRetry && !isMissing && (
        <Button icon="retry" onClick={onRetry}>
          Try again
        </Button>
      )}
    </section>
  );
}

function toTitle(error: Error): string {
  if (isUnreachable(error)) return 'The server does not answer';
  if (!(error instanceof ApiError)) return 'This page has failed';
  if (error.status === 404) return 'Not found';
  if (error.status === 401) return 'The server wants a credential';
  if (error.status === 429) return 'Too many requests';
  return error.status >= 500 ? 'The server could not do this' : 'The server refused this';
}

function toMessage(error: Error): string {
  return isUnreachable(error) ? 'Check that it is running, and that this computer can reach it.' : error.message;
}

/** Each browser has other words for a request that reached no server. */
function isUnreachable(error: Error): boolean {
  return error instanceof TypeError;
}

/**
 * Stands where content will be. It appears after a moment, so that quick answers do not flicker.
 */
export function Loading({ what }: { readonly what: string }): ReactNode {
  return (
    <p className={styles.loading} role="status">
      Loading {what} …
    </p>
  );
}
