import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { EmptyState } from '../ui/notice.tsx';
import { Page } from '../ui/page.tsx';

export function MissingPage(): ReactNode {
  return (
    <Page title="Not found">
      <EmptyState title="The console has no page with this address">
        <Link to="/">Go to the first page</Link>
      </EmptyState>
    </Page>
  );
}
