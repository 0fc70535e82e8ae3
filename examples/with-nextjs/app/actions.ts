'use server';

import { redirect } from 'next/navigation';
import { closeSession, openSession } from './session.ts';

/** In an app of yours: check a password, or what an identity provider sent. */
export async function signIn(form: FormData): Promise<void> {
  const name = form.get('name');
  if (typeof name === 'string' && /^[\w .-]{1,40}$/.test(name)) await openSession(name.trim().toLowerCase());
  redirect('/');
}

export async function signOut(): Promise<void> {
  await closeSession();
  redirect('/');
}
