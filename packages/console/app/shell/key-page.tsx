import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { forgetCredential } from '../access/credential.ts';
import { queryClient } from '../api/query-client.ts';
import { Button } from '../ui/button.tsx';
import { EmptyState } from '../ui/notice.tsx';
import { Page } from '../ui/page.tsx';

/** Stands for a page that only the console key opens. */
export function KeyPage({ title }: { readonly title: string }): ReactNode {
  const leave = (): void => {
    forgetCredential();
    queryClient.clear();
    location.reload();
  };
  return (
    <Page title={title}>
      <EmptyState title="This page opens with the console key">
        It shows how the server works, for all of its users. With your token, see{' '}
        <Link to="/executions">your executions</Link>, <Link to="/approvals">what waits for you</Link> and{' '}
        <Link to="/conversations">your conversations</Link>.
      </EmptyState>
      <Button onClick={leave}>Enter the console key</Button>
    </Page>
  );
}
