import '@fontsource-variable/ibm-plex-sans/wght.css';
import '@fontsource/ibm-plex-mono/latin-400.css';
import './styles/tokens.css';
import './styles/base.css';
import { CSPProvider } from '@base-ui/react/csp-provider';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { restoreIdentity } from './access/read-identity.ts';
import { queryClient } from './api/query-client.ts';
import { router } from './router.tsx';
import { applyTheme } from './shell/theme.ts';

applyTheme();
// The pages depend on the roles of the person.
await restoreIdentity();
const root = document.getElementById('root');
if (root === null) throw new Error('The page has no element with the id root');
createRoot(root).render(
  <StrictMode>
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </CSPProvider>
  </StrictMode>,
);
