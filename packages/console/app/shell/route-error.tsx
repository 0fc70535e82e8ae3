import type { ErrorComponentProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ErrorState } from '../ui/notice.tsx';
import { Page } from '../ui/page.tsx';

/** Takes the place of a page that has thrown. The menu stays usable. */
export function RouteError({ error }: ErrorComponentProps): ReactNode {
  return (
    <Page title="Something went wrong">
      <ErrorState error={error instanceof Error ? error : new Error(String(error))} onRetry={() => location.reload()} />
    </Page>
  );
}
