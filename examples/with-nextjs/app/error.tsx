'use client';

import type { ReactNode } from 'react';

/**
 * The page that visitors see when the page or an action throws. The error itself is only in the log
 * of Next.js.
 */
export default function PageError({ reset }: { readonly reset: () => void }): ReactNode {
  return (
    <main className="sign-in">
      <section role="alert">
        <h1>Something went wrong</h1>
        <p>It is not your fault. Please try again in a moment.</p>
        <button type="button" className="primary" onClick={reset}>
          Try again
        </button>
      </section>
    </main>
  );
}
