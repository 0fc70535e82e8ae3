import { useSyncExternalStore } from 'react';
import { queryClient } from '../../api/query-client.ts';
import { notify, notifyFailure } from '../../ui/toast.tsx';
import { sendResponse } from './send-response.ts';
import { type Approval, approvalKey } from './use-approvals.ts';

/** How long a response by a key can be undone. */
const delayMs = 5_000;

/** The responses that wait, by the key of their approval; the newest last. */
let waiting: ReadonlyMap<string, () => void> = new Map();
const listeners = new Set<() => void>();

function setWaiting(next: ReadonlyMap<string, () => void>): void {
  waiting = next;
  for (const listener of listeners) listener();
}

function remove(key: string): void {
  setWaiting(new Map([...waiting].filter(([other]) => other !== key)));
}

/**
 * Approves or denies a call in a moment, so that it can be undone. It is sent also after the person
 * has left the page, and not if the tab is closed before: the request waits on then.
 */
export function respondLater(approval: Approval, approved: boolean): void {
  const key = approvalKey(approval);
  if (waiting.has(key)) return;
  const timer = setTimeout(() => void send(), delayMs);
  const send = async (): Promise<void> => {
    try {
      await sendResponse(approval, { approved });
    } catch (error) {
      notifyFailure(error instanceof Error ? error : new Error(String(error)));
    }
    await queryClient.invalidateQueries({ queryKey: ['approvals'] });
    remove(key);
  };
  const undo = (): void => {
    clearTimeout(timer);
    remove(key);
  };
  setWaiting(new Map([...waiting, [key, undo]]));
  notify(`${approval.toolName ?? 'The call'}: ${approved ? 'approved' : 'denied'}.`, {
    shownMs: delayMs,
    action: { name: 'Undo', run: undo },
  });
}

export function undoLast(): void {
  [...waiting.values()].at(-1)?.();
}

/** The keys of the approvals whose response waits: they leave the list at once. */
export function useWaitingResponses(): ReadonlyMap<string, unknown> {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => waiting,
  );
}
