import { useMutation } from '@tanstack/react-query';
import { getRouteApi, useRouter } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useIsOwner, useIsRestricted } from '../../access/credential.ts';
import { Button } from '../../ui/button.tsx';
import { FilterSelect } from '../../ui/filters.tsx';
import { formatCount } from '../../ui/format.ts';
import { Page } from '../../ui/page.tsx';
import { Segmented } from '../../ui/segmented.tsx';
import { notify, notifyFailure } from '../../ui/toast.tsx';
import { ConversationList } from './conversation-list.tsx';
import { DeleteUser } from './delete-dialogs.tsx';
import { exportUser, saveFile } from './export-user.ts';
import { useCanDelete } from './memory-api.ts';
import { useAgentsWithMemory } from './use-agents-with-memory.ts';
import { UserExecutions, UserTraces } from './user-activity.tsx';

const route = getRouteApi('/users/$userId');
const tabs = [
  { value: 'conversations', name: 'Conversations' },
  { value: 'executions', name: 'Executions' },
  { value: 'traces', name: 'Traces' },
] as const;

/** Everything of one user, with the export and the deletion of it. */
export function UserPage(): ReactNode {
  const { userId } = route.useParams();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const router = useRouter();
  const agents = useAgentsWithMemory();
  const canDelete = useCanDelete();
  const [isDeleting, setDeleting] = useState(false);
  const [exported, setExported] = useState(0);
  const { mutate: startExport, isPending: isExporting } = useMutation({
    mutationFn: () => exportUser(userId, { onProgress: setExported, signal: new AbortController().signal }),
    onMutate: () => setExported(0),
    onSuccess: (blob) => {
      saveFile(blob, `user-${userId}.jsonl`);
      notify('The data of the user is exported, one JSON record per line.');
    },
    onError: notifyFailure,
  });
  const isRestricted = useIsRestricted();
  const isOwner = useIsOwner();
  const tab = tabs.find(({ value }) => value === search.tab)?.value ?? 'conversations';
  return (
    <Page
      title={userId}
      about="user"
      isFilled
      actions={
        <>
          {(isRestricted || isOwner) && (
            <Button icon="download" isBusy={isExporting} onClick={() => startExport()}>
              {isExporting ? `${formatCount(exported)} records` : 'Export'}
            </Button>
          )}
          {canDelete && (
            <Button look="danger" icon="trash" onClick={() => setDeleting(true)}>
              Delete
            </Button>
          )}
        </>
      }
      bar={
        <>
          <Segmented
            label="Show"
            value={tab}
            options={isRestricted ? tabs.filter(({ value }) => value !== 'traces') : tabs}
            onChange={(next) => void navigate({ search: { ...search, tab: next }, replace: true })}
          />
          {tab === 'conversations' && (
            <FilterSelect
              label="Agent"
              value={search.agentId}
              options={agents}
              onChange={(next) =>
                void navigate({ search: { tab, ...(next !== undefined && { agentId: next }) }, replace: true })
              }
            />
          )}
        </>
      }
    >
      {tab === 'conversations' && <ConversationList search={{ userId, agentId: search.agentId }} />}
      {tab === 'executions' && <UserExecutions userId={userId} />}
      {tab === 'traces' && !isRestricted && <UserTraces userId={userId} />}
      <DeleteUser
        userId={userId}
        isOpen={isDeleting}
        onClose={() => setDeleting(false)}
        onDeleted={({ conversations, executions, messages }) => {
          setDeleting(false);
          notify(`Deleted: ${conversations} conversations, ${messages} messages, ${executions} executions.`);
          void router.navigate({ to: '/conversations' });
        }}
      />
    </Page>
  );
}
