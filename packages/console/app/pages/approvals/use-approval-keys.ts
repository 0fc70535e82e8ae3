import { useEffect } from 'react';
import { useMayOperate } from '../../access/credential.ts';
import { isTyping } from '../../ui/is-typing.ts';
import { respondLater, undoLast } from './delayed-responses.ts';
import type { Approval } from './use-approvals.ts';

/**
 * `j` and `k` move through the requests, `a` and `d` approve and deny a tool call, `u` undoes the
 * last response.
 */
export function useApprovalKeys(
  selected: Approval | undefined,
  move: (by: 1 | -1) => void,
  onResponse: () => void,
): void {
  const mayOperate = useMayOperate(selected?.userId);
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      // A key that is held must not approve the next request.
      if (isTyping(event) || event.repeat) return;
      if (event.key === 'j') move(1);
      else if (event.key === 'k') move(-1);
      else if (event.key === 'u') undoLast();
      else if ((event.key === 'a' || event.key === 'd') && selected?.kind === 'tool' && mayOperate) {
        respondLater(selected, event.key === 'a');
        onResponse();
      }
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  });
}
