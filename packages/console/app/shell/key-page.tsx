import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { forgetCredential, useConsoleLevel } from '../access/credential.ts';
import { queryClient } from '../api/query-client.ts';
import { Button } from '../ui/button.tsx';
import { EmptyState } from '../ui/notice.tsx';
import { Page } from '../ui/page.tsx';

/** Stands for a page that the credential does not open. */
export function KeyPage({ title }: { readonly title: string }): ReactNode {
  const level = useConsoleLevel();
  const leave = (): void => {
    forgetCredential();
    queryClient.clear();
    location.reload();
  };
  return (
    <Page title={title}>
      <EmptyState title="This page opens with the console key">
        {level === undefined
          ? 'It shows how the server works, for all of its users. With your token, see '
          : `Your console role, ${level}, does not open it, or is limited. With your token, see `}
        <Link to="/executions">your executions</Link>, <Link to="/approvals">what waits for you</Link> and{' '}
        <Link to="/conversations">your conversations</Link>.
      </EmptyState>
      <Button onClick={leave}>Enter the console key</Button>
    </Page>
  );
}
