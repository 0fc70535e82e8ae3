import { useMutation, type UseMutationResult, useQueryClient } from '@tanstack/react-query';
import { ApiError } from '../../api/client.ts';
import { notify, notifyFailure } from '../../ui/toast.tsx';
import { type Response, sendResponse } from './send-response.ts';
import type { Approval, ApprovalList } from './use-approvals.ts';

/**
 * Sends the answer to a request. What another person has answered meanwhile leaves the list too.
 */
export function useResponse(approval: Approval, onResponse: () => void): UseMutationResult<unknown, Error, Response> {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (response: Response) => sendResponse(approval, response),
    onSuccess: (_, { approved }) => {
      client.setQueryData<ApprovalList>(
        ['approvals', 'list'],
        (list) => list && { ...list, approvals: list.approvals.filter((each) => each !== approval) },
      );
      notify(
        approved === undefined
          ? 'The execution continues.'
          : approved
            ? 'The call is approved.'
            : 'The call is denied.',
      );
      onResponse();
    },
    onError: (error) => {
      // Everything else is shown at the form.
      if (!(error instanceof ApiError) || error.status !== 404) return;
      notifyFailure(new Error('Somebody has answered this request, or it has expired.'));
      onResponse();
    },
    onSettled: () => client.invalidateQueries({ queryKey: ['approvals'] }),
  });
}
