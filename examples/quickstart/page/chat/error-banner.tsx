import type { ReactNode } from 'react';
import { CloseIcon, RetryIcon } from './icons.tsx';

interface ErrorBannerProps {
  readonly message: string;
  readonly onRetry?: () => void;
  readonly onDismiss?: () => void;
}

export function ErrorBanner({ message, onDismiss, onRetry }: ErrorBannerProps): ReactNode {
  return (
    <div className="error-banner" role="alert">
      <p>{readable(message)}</p>
      {onRetry !== undefined && (
        <button type="button" onClick={onRetry}>
          <RetryIcon /> Try again
        </button>
      )}
      {onDismiss !== undefined && (
        <button type="button" className="icon-button" aria-label="Dismiss" onClick={onDismiss}>
          <CloseIcon />
        </button>
      )}
    </div>
  );
}

/** The AI SDK passes the body of a failed response on: `{"success":false,"error":"…"}`. */
function readable(message: string): string {
  if (/^(?:Failed to fetch|network error|Load failed|NetworkError)/i.test(message))
    return 'The server cannot be reached. Check that it is running, then try again.';
  try {
    const body: unknown = JSON.parse(message);
    if (typeof body === 'object' && body !== null && 'error' in body && typeof body.error === 'string')
      return body.error;
  } catch {
    // Not JSON: the message is a sentence.
  }
  return message;
}
