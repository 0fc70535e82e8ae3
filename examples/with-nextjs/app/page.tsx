import type { ReactNode } from 'react';
import { Chat } from './chat.tsx';
import { signedInUser } from './session.ts';
import { SignIn } from './sign-in.tsx';

export default async function Page(): Promise<ReactNode> {
  const userId = await signedInUser();
  return userId === undefined ? <SignIn /> : <Chat userId={userId} />;
}
