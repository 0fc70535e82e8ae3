import type { ReactNode } from 'react';

export default function NotFound(): ReactNode {
  return (
    <main className="sign-in">
      <section>
        <h1>There is no such page</h1>
        <p>
          <a href="/">Go to the harbour desk</a>
        </p>
      </section>
    </main>
  );
}
