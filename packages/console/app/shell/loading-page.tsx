import type { ReactNode } from 'react';
import { Loading } from '../ui/notice.tsx';
import { Page } from '../ui/page.tsx';

/** Takes the place of a page whose files have not come yet. */
export function LoadingPage(): ReactNode {
  return (
    <Page title="Console">
      <Loading what="the page" />
    </Page>
  );
}
