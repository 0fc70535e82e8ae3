import type { ReactNode } from 'react';
import { CloseIcon, RetryIcon } from './icons.tsx';
import { readableError } from './readable-error.ts';

interface ErrorBannerProps {
  readonly message: string;
  readonly onRetry?: () => void;
  readonly onDismiss?: () => void;
}

export function ErrorBanner({ message, onDismiss, onRetry }: ErrorBannerProps): ReactNode {
  return (
    <div className="error-banner" role="alert">
      <p>{readableError(message)}</p>
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
