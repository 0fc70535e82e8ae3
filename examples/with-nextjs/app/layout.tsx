import type { Metadata, Viewport } from 'next';
import { connection } from 'next/server';
import type { ReactNode } from 'react';
import '@halyard/example-with-vite-chat/harbour.css';
import './account.css';

export const metadata: Metadata = { title: 'Harbour desk' };
export const viewport: Viewport = { colorScheme: 'light dark', interactiveWidget: 'resizes-content' };

export default async function Layout({ children }: { readonly children: ReactNode }): Promise<ReactNode> {
  // Pages are rendered for each request, because their scripts have its nonce.
  await connection();
  return (
    <html lang="en">
      <head>
        {/* Next.js sends metadata after the head of the page. Without an icon there, browsers ask for /favicon.ico. */}
        <link rel="icon" type="image/svg+xml" href="/icon.svg" />
      </head>
      <body>{children}</body>
    </html>
  );
}
