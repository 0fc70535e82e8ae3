'use client';

import { createClient } from '@halyard/client';
import { HarbourChat } from '@halyard/example-with-vite-chat/harbour-chat';
import type { Harbour } from '@halyard/example-with-vite-chat/server';
import type { ReactNode } from 'react';
import { signOut } from './actions.ts';

/** The browser sends its cookie to Next.js, which adds the token for the Halyard server. */
const client = createClient<Harbour>({ baseUrl: '/halyard' });

export function Chat({ userId }: { readonly userId: string }): ReactNode {
  const account = (
    <form className="account" action={signOut}>
      <span>{userId}</span>
      <button type="submit">Sign out</button>
    </form>
  );
  return <HarbourChat client={client} footer={account} />;
}
