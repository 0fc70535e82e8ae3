import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useIsRestricted } from '../../access/credential.ts';

/** A link to the trace of a run; nothing for a user, whose token opens no traces. */
export function TraceLink({
  children,
  traceId,
}: {
  readonly traceId: string;
  readonly children: ReactNode;
}): ReactNode {
  if (useIsRestricted()) return null;
  return (
    <Link to="/traces/$traceId" params={{ traceId }}>
      {children}
    </Link>
  );
}
