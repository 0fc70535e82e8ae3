import type { ResumeRequest, Suspension } from '@halyard/contracts';
import type { StoredRoot } from './stored-execution.ts';

/** As many requests as are remembered: one that is sent again comes soon after the first. */
const rememberedRequests = 8;

/** Answers a pending suspension. @returns which; `again` for a request that has been answered, undefined when it does not wait. */
export function resumeRoot(root: StoredRoot, resume: ResumeRequest): Suspension | 'again' | undefined {
  const { suspensionId, data, resumedBy, requestId } = resume;
  if (root.resumeRequestIds?.includes(requestId) === true) return 'again';
  const suspension = root.suspensions?.find(({ id }) => id === suspensionId);
  if (suspension === undefined) return undefined;

  const requestIds = (root.resumeRequestIds ??= []);
  requestIds.push(requestId);
  if (requestIds.length > rememberedRequests) requestIds.shift();
  const resumption = { path: suspension.path, suspensionId, data };
  root.suspensions = root.suspensions?.filter((other) => other !== suspension);
  (root.resumptions ??= []).push(resumedBy === undefined ? resumption : { ...resumption, resumedBy });
  if (root.runner === null) root.status = 'running';
  return suspension;
}
