import type { ReactNode } from 'react';

/** Stands for the actions that a viewer may not use. */
export function LookOnly(): ReactNode {
  return <p>Your console role, viewer, changes nothing here.</p>;
}
