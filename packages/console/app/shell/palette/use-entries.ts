import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useIsOwner, useIsRestricted } from '../../access/credential.ts';
import { api, readData } from '../../api/client.ts';
import { agentsQuery } from '../../pages/agents/agents-query.ts';
import { readConversations } from '../../pages/conversations/memory-api.ts';
import { listExecutions } from '../../pages/executions/read-execution.ts';
import { toolsQuery } from '../../pages/tools/tools-query.ts';
import { workflowsQuery } from '../../pages/workflows/workflows-query.ts';
import { notifyFailure } from '../../ui/toast.tsx';
import { navigationFor } from '../navigation.ts';
import { setTheme } from '../theme.ts';
import { type Entry, kindsOfId } from './find-entries.ts';

/** How many of the newest conversations and executions are found by name. */
const newest = 100;

/** Everything that the palette can open and do, and what the text may be the id of. */
export function useEntries(text: string, onKeys: () => void): { readonly all: Entry[]; readonly byId: Entry[] } {
  const opened = { isRestricted: useIsRestricted(), isOwner: useIsOwner() };
  const navigate = useNavigate();
  const { data: agents = [] } = useQuery(agentsQuery);
  const { data: workflows = [] } = useQuery(workflowsQuery);
  const { data: tools = [] } = useQuery(toolsQuery);
  // A server without a memory has none.
  const { data: conversations = [] } = useQuery({
    queryKey: ['palette', 'conversations'],
    queryFn: async ({ signal }) => (await readConversations({ limit: newest }, signal)).conversations,
    retry: false,
  });
  const { data: executions = [] } = useQuery({
    queryKey: ['palette', 'executions'],
    queryFn: async ({ signal }) => (await listExecutions({ limit: newest }, signal)).rows,
    retry: false,
  });
  const all: Entry[] = [
    ...navigationFor(opened)
      .flatMap(({ pages }) => pages)
      .map(({ name, to }) => ({ id: `page ${to}`, group: 'Pages', name, run: () => void navigate({ to }) })),
    ...agents.map(({ id, name }) => ({
      id: `agent ${id}`,
      group: 'Agents',
      name,
      hint: id,
      run: () => void navigate({ to: '/agents/$agentId', params: { agentId: id } }),
    })),
    ...workflows.map(({ id, name }) => ({
      id: `workflow ${id}`,
      group: 'Workflows',
      name,
      hint: id,
      run: () => void navigate({ to: '/workflows/$workflowId', params: { workflowId: id } }),
    })),
    ...tools.map(({ name }) => ({
      id: `tool ${name}`,
      group: 'Tools',
      name,
      isMany: true,
      run: () => void navigate({ to: '/tools/$toolName', params: { toolName: name } }),
    })),
    ...conversations.map(({ id, title, userId }) => ({
      id: `conversation ${id}`,
      group: 'Conversations',
      name: title === '' ? id : title,
      hint: `${id} ${userId}`,
      isMany: true,
      run: () => void navigate({ to: '/conversations/$conversationId', params: { conversationId: id } }),
    })),
    ...executions.map(({ id, workflowId, workflowName }) => ({
      id: `execution ${workflowId} ${id}`,
      group: 'Executions',
      name: workflowName,
      hint: id,
      isMany: true,
      run: () => void navigate({ to: '/executions/$workflowId/$executionId', params: { workflowId, executionId: id } }),
    })),
    ...agents.map(({ id, name }) => ({
      id: `talk ${id}`,
      group: 'Actions',
      name: `Talk to ${name}`,
      run: () => void navigate({ to: '/playground', search: { agentId: id } }),
    })),
    ...workflows.map(({ id, name }) => ({
      id: `start ${id}`,
      group: 'Actions',
      name: `Start ${name}`,
      isMany: true,
      run: () => void navigate({ to: '/workflows/$workflowId', params: { workflowId: id }, search: { tab: 'start' } }),
    })),
    ...(['system', 'light', 'dark'] as const).map((theme) => ({
      id: `theme ${theme}`,
      group: 'Actions',
      name: theme === 'system' ? 'Theme of the system' : `${theme === 'light' ? 'Light' : 'Dark'} theme`,
      run: () => setTheme(theme),
    })),
    { id: 'keys', group: 'Actions', name: 'Show the keys', hint: '?', run: onKeys },
  ];
  return { all, byId: toIdEntries(text, opened.isRestricted, navigate) };
}

function toIdEntries(text: string, isRestricted: boolean, navigate: ReturnType<typeof useNavigate>): Entry[] {
  const opens = {
    trace: () => void navigate({ to: '/traces/$traceId', params: { traceId: text } }),
    span: () => {
      const params = { path: { spanId: text } };
      readData(api.GET('/observability/spans/{spanId}', { params }))
        .then(({ traceId }) => navigate({ to: '/traces/$traceId', params: { traceId }, search: { span: text } }))
        .catch(notifyFailure);
    },
    conversation: () => void navigate({ to: '/conversations/$conversationId', params: { conversationId: text } }),
    user: () => void navigate({ to: '/users/$userId', params: { userId: text } }),
  };
  const ids = kindsOfId(text)
    .filter((kind) => !isRestricted || kind === 'conversation')
    .map((kind) => ({ id: `id ${kind}`, group: 'By id', name: `Open the ${kind} ${text}`, run: opens[kind] }));
  if (isRestricted || text === '') return ids;
  return [
    ...ids,
    {
      id: 'search traces',
      group: 'Search',
      name: `Find “${text}” in the traces`,
      run: () => void navigate({ to: '/traces', search: { q: text } }),
    },
    {
      id: 'search logs',
      group: 'Search',
      name: `Find “${text}” in the logs`,
      run: () => void navigate({ to: '/logs', search: { q: text } }),
    },
  ];
}
