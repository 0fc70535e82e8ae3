import type { Metadata, Viewport } from 'next';
import type { ReactNode } from 'react';
import '@halyard/example-with-vite-chat/chat.css';
import './account.css';

export const metadata: Metadata = { title: 'Harbour desk' };
export const viewport: Viewport = { colorScheme: 'light dark', interactiveWidget: 'resizes-content' };

export default function Layout({ children }: { readonly children: ReactNode }): ReactNode {
  return (
    <html lang="en">
      <body>{children}</body>
    </html>
  );
}
