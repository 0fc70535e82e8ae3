'use server';

import { redirect } from 'next/navigation';
import { closeSession, openSession } from './session.ts';

/** In an app of yours: check a password, or what an identity provider sent. */
export async function signIn(form: FormData): Promise<void> {
  const sent = form.get('name');
  const name = typeof sent === 'string' ? sent.trim().toLowerCase() : '';
  if (/^[\w .-]{1,40}$/.test(name)) await openSession(name);
  redirect('/');
}

export async function signOut(): Promise<void> {
  await closeSession();
  redirect('/');
}
