import type { ReactNode } from 'react';
import { signIn } from './actions.ts';

export function SignIn(): ReactNode {
  return (
    <main className="sign-in">
      <form action={signIn}>
        <h1>Harbour desk</h1>
        <p>Sign in to see your conversations.</p>
        <label>
          Your name
          <input name="name" required maxLength={40} pattern="[\w .\-]+" autoComplete="username" />
        </label>
        <button type="submit" className="primary">
          Sign in
        </button>
      </form>
    </main>
  );
}
