import { useMutation, type UseMutationResult, useQueryClient } from '@tanstack/react-query';
import { isUser } from '../../access/credential.ts';
import { api, ApiError, dataOf } from '../../api/client.ts';
import type { components } from '../../api/schema.ts';
import { notify, notifyFailure } from '../../ui/toast.tsx';
import type { Approval, ApprovalList } from './use-approvals.ts';

export type Answer = Pick<components['schemas']['ApprovalAnswer'], 'approved' | 'reason' | 'resumeData'>;

/**
 * Sends the answer to a request. What another person has answered meanwhile leaves the list too.
 */
export function useAnswer(approval: Approval, onAnswered: () => void): UseMutationResult<unknown, Error, Answer> {
  const { conversationId, executionId, id } = approval;
  const client = useQueryClient();
  return useMutation({
    mutationFn: (answer: Answer) => {
      const place = executionId === null ? { conversationId: conversationId ?? '' } : { executionId };
      const body = { id, ...place, ...answer };
      return isUser()
        ? dataOf(api.POST('/api/approvals/answer', { body }))
        : dataOf(api.POST('/approvals/answer', { body }));
    },
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
      onAnswered();
    },
    onError: (error) => {
      // Everything else is shown at the form.
      if (!(error instanceof ApiError) || error.status !== 404) return;
      notifyFailure(new Error('Somebody has answered this request, or it has expired.'));
      onAnswered();
    },
    onSettled: () => client.invalidateQueries({ queryKey: ['approvals'] }),
  });
}
