import { createClient } from '@halyard/client';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import type { Harbour } from '../src/server.ts';
import { HarbourChat } from './harbour/harbour-chat.tsx';

const client = createClient<Harbour>({ baseUrl: '/halyard' });

const root = document.querySelector('#root');
if (root !== null) {
  createRoot(root).render(
    <StrictMode>
      <HarbourChat client={client} userId={browserId()} />
    </StrictMode>,
  );
}

/**
 * Each browser has its own conversations. This is no protection: the server has no access control.
 */
function browserId(): string {
  const known = localStorage.getItem('browser');
  if (known !== null) return known;
  const id = crypto.randomUUID();
  localStorage.setItem('browser', id);
  return id;
}
